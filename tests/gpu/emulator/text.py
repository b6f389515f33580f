"""PTX as text: modules, kernels and instructions."""

from __future__ import annotations

import math
import re
import struct
from dataclasses import dataclass, field

# Bits of what a register of a type holds.
REGISTER_BITS = {"pred": 1, "b8": 8, "b16": 16, "b32": 32, "b64": 64, "f16": 16, "f32": 32, "f64": 64, "u16": 16,
                 "u32": 32, "u64": 64, "s16": 16, "s32": 32, "s64": 64, "f16x2": 32, "b128": 128}  # fmt: skip
_SIZES = {"8": 1, "16": 2, "32": 4, "64": 8}


class NotUnderstood(Exception):
    """PTX that this emulator does not know."""


@dataclass(frozen=True)
class Register:
    """A register, or a special one such as %tid.x."""

    name: str


@dataclass(frozen=True)
class Immediate:
    """A constant by its bits."""

    bits: int


@dataclass(frozen=True)
class Symbol:
    """A label, a variable, a parameter."""

    name: str


@dataclass(frozen=True)
class Address:
    """[base + offset]."""

    base: Register | Symbol | Immediate
    offset: int


@dataclass(frozen=True)
class Many:
    """{a, b, ...}, or a pair a|b."""

    items: tuple[object, ...]


@dataclass(frozen=True)
class Instruction:
    """`@guard op.mods operands`."""

    op: str
    mods: tuple[str, ...]
    operands: tuple[object, ...]
    guard: tuple[str, bool] | None
    text: str


@dataclass
class Variable:
    """Memory that a module or a kernel declares; size None: said at the launch."""

    name: str
    space: str
    size: int | None
    align: int
    data: bytes = b""


@dataclass
class Kernel:
    """One entry: its parameters (name, bytes), registers (name, type), variables and code."""

    name: str
    parameters: list[tuple[str, int]]
    registers: dict[str, str] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    code: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    most_threads: int | None = None


@dataclass
class Module:
    """A text's kernels and variables."""

    kernels: dict[str, Kernel] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)


def parse(text: str) -> Module:
    """The module of a PTX text.  Raises NotUnderstood."""
    text = re.sub(r"//[^\n]*", "", re.sub(r"/\*.*?\*/", "", text, flags=re.S))
    module = Module()
    place = 0
    head = re.compile(r"\s*(?:(\.visible|\.weak|\.extern)\s+)?\.entry\s+([\w$]+)\s*\(")
    while place < len(text):
        found = head.match(text, place)
        if found:
            end = text.index(")", found.end())
            start = text.index("{", end)
            stop = _closing(text, start)
            kernel = Kernel(found[2], _parameters(text[found.end() : end]))
            bounds = re.search(r"\.maxntid\s+([\d,\s]+)", text[end:start])
            if bounds:
                kernel.most_threads = math.prod(map(int, bounds[1].split(",")))
            _body(kernel, text[start + 1 : stop])
            module.kernels[kernel.name] = kernel
            place = stop + 1
            continue
        line = re.compile(r"\s*(\.version|\.target|\.address_size|\.file)[^\n]*\n").match(text, place)
        if line:
            place = line.end()
            continue
        rest = text[place:].strip()
        if not rest:
            break
        if re.match(r"\s*(\.visible\s+|\.extern\s+|\.weak\s+)?\.func\b", text[place:]):
            raise NotUnderstood("a function beside the kernels")
        end = text.index(";", place)
        variable = _variable(text[place:end])
        if variable is None:
            raise NotUnderstood(text[place:end].strip())
        module.variables.append(variable)
        place = end + 1
    return module


def _closing(text: str, start: int) -> int:
    depth = 0
    for k in range(start, len(text)):
        depth += (text[k] == "{") - (text[k] == "}")
        if depth == 0:
            return k
    raise NotUnderstood("a body without an end")


def _parameters(text: str) -> list[tuple[str, int]]:
    out: list[tuple[str, int]] = []
    for part in filter(None, (p.strip() for p in text.split(","))):
        m = re.fullmatch(r"\.param\s+(.*?)\s*([\w$]+)(?:\[(\d+)\])?", part, re.S)
        kind = re.search(r"\.[busf](8|16|32|64)\b", part)
        if not m or not kind:
            raise NotUnderstood(part)
        out.append((m[2], _SIZES[kind[1]] * int(m[3] or 1)))
    return out


_DECLARED = re.compile(
    r"(?:\.(?:visible|extern|weak|common)\s+)*\.(shared|global|const|local)\s+(?:\.align\s+(\d+)\s+)?\.[busf](8|16|32|64)\s+"
    r"([\w$]+)(?:\[(\d*)\])?(?:\s*=\s*(\{.*\}|\S+))?",
    re.S,
)


def _variable(text: str) -> Variable | None:
    m = _DECLARED.fullmatch(text.strip())
    if not m:
        return None
    element = _SIZES[m[3]]
    size = None if m[5] == "" else element * int(m[5] or 1)
    data = b""
    if m[6]:
        numbers = [_number(n.strip()) for n in m[6].strip("{}").split(",")]
        data = b"".join((n & ((1 << 8 * element) - 1)).to_bytes(element, "little") for n in numbers)
    return Variable(m[4], m[1], size, int(m[2] or element), data)


def _body(kernel: Kernel, text: str) -> None:
    text = text.replace("\n", " ").replace("\t", " ")
    place = 0
    while True:
        while place < len(text) and text[place] in " {}":
            place += 1
        if place >= len(text):
            return
        label = re.compile(r"([\w$]+)\s*:(?!:)").match(text, place)
        if label:
            kernel.labels[label[1]] = len(kernel.code)
            place = label.end()
            continue
        end = text.index(";", place)
        line = text[place:end].strip()
        place = end + 1
        if line.startswith(".reg"):
            kind, names = line[4:].strip()[1:].split(None, 1)
            for name in names.split(","):
                many = re.fullmatch(r"(%[\w$]+)<(\d+)>", name.strip())
                found = [f"{many[1]}{k}" for k in range(int(many[2]))] if many else [name.strip()]
                kernel.registers |= dict.fromkeys(found, kind)
        elif line.startswith((".loc ", ".pragma")):
            continue
        elif line.startswith("."):
            variable = _variable(line)
            if variable is None:
                raise NotUnderstood(line)
            kernel.variables.append(variable)
        else:
            kernel.code.append(_instruction(line))


def _instruction(line: str) -> Instruction:
    guard = None
    m = re.match(r"@(!?)(%[\w$]+)\s+", line)
    rest = line
    if m:
        guard, rest = (m[2], m[1] == ""), line[m.end() :]
    word, _, operands = rest.partition(" ")
    op, *mods = word.replace("::", "__").split(".")
    parts = [_operand(p) for p in _separated(operands)]
    return Instruction(op, tuple(mods), tuple(parts), guard, line)


def _separated(text: str) -> list[str]:
    out: list[str] = []
    depth, start = 0, 0
    for k, c in enumerate(text):
        depth += (c in "{[(") - (c in "}])")
        if c == "," and depth == 0:
            out.append(text[start:k].strip())
            start = k + 1
    return [p for p in [*out, text[start:].strip()] if p]


def _number(text: str) -> int:
    sign = -1 if text.startswith("-") else 1
    text = text.lstrip("-")
    if text[:2] in ("0f", "0F"):
        return int(text[2:], 16)
    if text[:2] in ("0d", "0D"):
        return int(text[2:], 16)
    text = text.rstrip("U")
    if re.fullmatch(r"\d*\.\d+", text):
        return struct.unpack("<Q", struct.pack("<d", sign * float(text)))[0]
    return sign * int(text, 0)


def _operand(text: str) -> object:
    if text.startswith("["):
        inner = text[1:-1].strip()
        m = re.fullmatch(r"(\S+?)\s*(?:\+\s*(-?\d+))?", inner)
        if not m:
            raise NotUnderstood(text)
        base = _operand(m[1])
        assert isinstance(base, Register | Symbol | Immediate)
        return Address(base, int(m[2] or 0))
    if text.startswith("{"):
        return Many(tuple(_operand(p) for p in _separated(text[1:-1])))
    if "|" in text:
        return Many(tuple(_operand(p) for p in text.split("|")))
    if text.startswith("!%"):
        return Many((Register(text[1:]),))
    if text.startswith("%"):
        return Register(text)
    if re.match(r"-?\d", text):
        return Immediate(_number(text))
    return Symbol(text)
