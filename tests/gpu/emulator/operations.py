"""Instructions that compute."""

from __future__ import annotations

from typing import Any

import numpy as np

from halide_core.interp.fused import fused_multiply_add
from tests.gpu.emulator import arithmetic as a
from tests.gpu.emulator.memory import LOCAL, SHARED
from tests.gpu.emulator.text import Instruction, Many, NotUnderstood, Register

_BASES = {"shared": SHARED, "local": LOCAL, "global": 0, "const": 0}
_LOGIC = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
# What an atomic instruction stores, from what is there and its operands.
ATOMIC: dict[str, Any] = {
    "add": lambda old, x: old + x,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "exch": lambda old, x: x,
    "cas": lambda old, x, y: np.where(old == x, y, old),
}
_APPROXIMATE = {
    "ex2": np.exp2,
    "lg2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "rsqrt": lambda x: 1 / np.sqrt(x),
}
_ROUNDINGS = ("rz", "rm", "rp")


def classify(i: Instruction) -> str:
    """The class that the instruction is counted in."""
    kind = i.mods[-1] if i.mods else ""
    if i.op in ("mov", "cvta"):
        return "move"
    if i.op == "cvt":
        return "conversion"
    if i.op in ("setp", "selp", "set", "slct"):
        return "choice"
    if not kind.startswith(("f", "bf")):
        return "integer"
    return "fused" if i.op == "fma" else "float"


def compute(m: Any, i: Instruction, act: Any) -> None:
    """Computes `i` for the threads `act` of the machine's batch `m`."""
    with np.errstate(all="ignore"):
        name = f"_{i.op}"
        if name in _RULES:
            _RULES[name](m, i, act)
        else:
            _usual(m, i, act)


def _size(act: Any, m: Any) -> int:
    return m.n if isinstance(act, slice) else len(act)


def _filled(x: Any, m: Any, act: Any) -> Any:
    return np.broadcast_to(x, (_size(act, m),))


def _usual(m: Any, i: Instruction, act: Any) -> None:
    kind = i.mods[-1]
    bits = a.width(kind)
    if any(r in i.mods for r in _ROUNDINGS):
        raise NotUnderstood(i.text)
    if kind.endswith("x2") or kind.startswith("bf"):
        _pairs(m, i, act, kind)
        return
    if i.op in _LOGIC or i.op == "not":
        values = [m.value(o, bits, act) for o in i.operands[1:]]
        out = ~values[0] if i.op == "not" else _LOGIC[i.op](*values)
        m.put(i.operands[0], _filled(out, m, act), "b", act)
        return
    values = [a.typed(m.value(o, bits, act), kind) for o in i.operands[1:]]
    out, result = _computed(i, kind, values), kind
    if i.op in ("mul", "mad") and "wide" in i.mods:
        result = f"{kind[0]}{2 * bits}"
        wide = (a.SIGNED if kind[0] == "s" else a.UNSIGNED)[2 * bits]
        out = values[0].astype(wide) * values[1].astype(wide)
        if i.op == "mad":
            out = out + a.typed(m.value(i.operands[3], 2 * bits, act), result)
    if kind[0] == "f" and "ftz" in i.mods:
        out = a.flushed(out)
    if kind[0] == "f" and "sat" in i.mods:
        out = np.where(np.isnan(out), out.dtype.type(0), np.clip(out, out.dtype.type(0), out.dtype.type(1)))
    m.put(i.operands[0], _filled(a.bits(out), m, act), result, act)


def _computed(i: Instruction, kind: str, v: list[Any]) -> Any:
    if kind[0] == "f" and "ftz" in i.mods:
        v = [a.flushed(x) for x in v]
    match i.op:
        case "add":
            if "sat" in i.mods and kind == "s32":
                return np.clip(v[0].astype(np.int64) + v[1], -(1 << 31), (1 << 31) - 1).astype(np.int32)
            return v[0] + v[1]
        case "sub":
            if "sat" in i.mods and kind == "s32":
                return np.clip(v[0].astype(np.int64) - v[1], -(1 << 31), (1 << 31) - 1).astype(np.int32)
            return v[0] - v[1]
        case "mul" if "wide" in i.mods:
            return v[0]
        case "mad" if "wide" in i.mods:
            return v[0]
        case "mul":
            return a.high(v[0], v[1], kind) if "hi" in i.mods else v[0] * v[1]
        case "mad":
            if kind[0] == "f":
                return fused_multiply_add(*v)
            return (a.high(v[0], v[1], kind) if "hi" in i.mods else v[0] * v[1]) + v[2]
        case "fma":
            return fused_multiply_add(*v)
        case "div":
            return v[0] / v[1] if kind[0] == "f" else a.divide(v[0], v[1], kind)
        case "rem":
            return a.remainder(v[0], v[1], kind)
        case "min":
            return a.minimum(v[0], v[1], kind)
        case "max":
            return a.maximum(v[0], v[1], kind)
        case "neg":
            return -v[0]
        case "abs":
            return np.abs(v[0])
        case "sqrt":
            return np.sqrt(v[0])
        case "rcp":
            return v[0].dtype.type(1) / v[0]
        case "copysign":
            return np.copysign(v[1], v[0])
    if i.op in _APPROXIMATE:
        return _APPROXIMATE[i.op](v[0].astype(np.float64)).astype(v[0].dtype)
    raise NotUnderstood(i.text)


def _pairs(m: Any, i: Instruction, act: Any, kind: str) -> None:
    """Two float16 in one register."""
    if kind != "f16x2":
        raise NotUnderstood(i.text)
    both = [m.value(o, 32, act) for o in i.operands[1:]]
    halves = []
    for shift in (0, 16):
        parts = [a.typed(((b >> np.uint32(shift)) & np.uint32(0xFFFF)).astype(np.uint16), "f16") for b in both]
        halves.append(a.bits(_computed(i, "f16", parts)).astype(np.uint32) << np.uint32(shift))
    m.put(i.operands[0], _filled(halves[0] | halves[1], m, act), "b32", act)


def _mov(m: Any, i: Instruction, act: Any) -> None:
    kind = i.mods[-1]
    to, of = i.operands
    bits = a.width(kind)
    if isinstance(to, Many):
        part = bits // len(to.items)
        value = _filled(m.value(of, bits, act), m, act)
        for k, r in enumerate(to.items):
            if isinstance(r, Register):
                m.put(r, (value >> value.dtype.type(k * part)).astype(a.UNSIGNED[part]), "b", act)
        return
    if isinstance(of, Many) and len(of.items) > 1:
        part = bits // len(of.items)
        value = np.zeros(1, a.UNSIGNED[bits])
        for k, r in enumerate(of.items):
            value = value | (m.value(r, part, act).astype(a.UNSIGNED[bits]) << a.UNSIGNED[bits](k * part))
        m.put(to, _filled(value, m, act), "b", act)
        return
    m.put(to, _filled(m.value(of, bits, act), m, act), kind, act)


def _cvta(m: Any, i: Instruction, act: Any) -> None:
    space = next(x for x in i.mods if x in _BASES)
    sign = -1 if "to" in i.mods else 1
    value = m.value(i.operands[1], 64, act).astype(np.int64) + sign * _BASES[space]
    m.put(i.operands[0], _filled(value.astype(np.uint64), m, act), "u64", act)


def _cvt(m: Any, i: Instruction, act: Any) -> None:
    kinds = [x for x in i.mods if x in _KINDS]
    if i.mods[-2:] == ("f16x2", "f32") and "rn" in i.mods:
        upper, lower = (
            a.converted(m.value(o, 32, act), "f16", "f32", i.mods).astype(np.uint32) for o in i.operands[1:3]
        )
        m.put(i.operands[0], _filled((upper << np.uint32(16)) | lower, m, act), "b32", act)
        return
    if len(kinds) != 2:
        raise NotUnderstood(i.text)
    bits = 16 if kinds[1] == "bf16" else a.width(kinds[1])
    value = m.value(i.operands[1], bits, act)
    out = a.converted(value, kinds[0], kinds[1], i.mods)
    m.put(i.operands[0], _filled(out, m, act), kinds[0], act)


_KINDS = {f"{c}{n}" for c in "us" for n in (8, 16, 32, 64)} | {"f16", "f32", "f64", "bf16"}


def _setp(m: Any, i: Instruction, act: Any) -> None:
    kind, op = i.mods[-1], i.mods[0]
    bits = a.width(kind)
    if kind.startswith("b"):
        kind = f"u{bits}"
    if kind == "f16x2":
        _setp_of_pairs(m, i, act)
        return
    x, y = (a.typed(m.value(o, bits, act), kind) for o in i.operands[1:3])
    if "ftz" in i.mods and kind == "f32":
        x, y = a.flushed(x), a.flushed(y)
    found = a.compare(op, x, y, kind)
    other = None if len(i.operands) < 4 else m.value(i.operands[3], 1, act)
    logic = next((_LOGIC[x] for x in i.mods if x in _LOGIC), None)
    to = i.operands[0].items if isinstance(i.operands[0], Many) else (i.operands[0],)
    for k, r in enumerate(to):
        value = found if k == 0 else ~found
        m.put(r, _filled(value if other is None or logic is None else logic(value, other), m, act), "pred", act)


def _setp_of_pairs(m: Any, i: Instruction, act: Any) -> None:
    """One predicate for each half."""
    to = i.operands[0]
    if not isinstance(to, Many) or len(i.operands) != 3:
        raise NotUnderstood(i.text)
    both = [m.value(o, 32, act) for o in i.operands[1:]]
    for shift, r in zip((0, 16), to.items, strict=True):
        x, y = (a.typed(((b >> np.uint32(shift)) & np.uint32(0xFFFF)).astype(np.uint16), "f16") for b in both)
        m.put(r, _filled(a.compare(i.mods[0], x, y, "f16"), m, act), "pred", act)


def _selp(m: Any, i: Instruction, act: Any) -> None:
    bits = a.width(i.mods[-1])
    x, y = (m.value(o, bits, act) for o in i.operands[1:3])
    m.put(i.operands[0], _filled(np.where(m.value(i.operands[3], 1, act), x, y), m, act), "b", act)


def _shl(m: Any, i: Instruction, act: Any) -> None:
    kind = i.mods[-1]
    bits = a.width(kind)
    amount = m.value(i.operands[2], 32, act)
    out = a.shift(m.value(i.operands[1], bits, act), amount, kind, i.op == "shl")
    m.put(i.operands[0], _filled(out, m, act), kind, act)


def _shf(m: Any, i: Instruction, act: Any) -> None:
    low, high, n = (m.value(o, 32, act).astype(np.uint64) for o in i.operands[1:4])
    n = n & np.uint64(31) if "wrap" in i.mods else np.minimum(n, np.uint64(32))
    both = low | (high << np.uint64(32))
    out = ((both << n) >> np.uint64(32)) if "l" in i.mods else both >> n
    m.put(i.operands[0], _filled(out.astype(np.uint32), m, act), "b32", act)


def _counts(m: Any, i: Instruction, act: Any) -> None:
    x = _filled(m.value(i.operands[1], a.width(i.mods[-1]), act), m, act)
    out = a.leading_zeros(x) if i.op == "clz" else np.bitwise_count(x).astype(np.uint32)
    m.put(i.operands[0], out, "u32", act)


def _brev(m: Any, i: Instruction, act: Any) -> None:
    x = _filled(m.value(i.operands[1], a.width(i.mods[-1]), act), m, act)
    m.put(i.operands[0], a.reversed_bits(x), "b", act)


def _prmt(m: Any, i: Instruction, act: Any) -> None:
    if i.mods != ("b32",):
        raise NotUnderstood(i.text)
    m.put(i.operands[0], _filled(a.permuted(*(m.value(o, 32, act) for o in i.operands[1:4])), m, act), "b32", act)


def _bfe(m: Any, i: Instruction, act: Any) -> None:
    kind = i.mods[-1]
    x = _filled(m.value(i.operands[1], a.width(kind), act), m, act)
    s, c = (_filled(m.value(o, 32, act), m, act) for o in i.operands[2:4])
    m.put(i.operands[0], a.field_of(x, s, c, kind), kind, act)


def _bfi(m: Any, i: Instruction, act: Any) -> None:
    kind = i.mods[-1]
    x, y = (m.value(o, a.width(kind), act) for o in i.operands[1:3])
    s, c = (m.value(o, 32, act) for o in i.operands[3:5])
    m.put(i.operands[0], _filled(a.inserted(x, y, s, c, kind), m, act), "b", act)


def _testp(m: Any, i: Instruction, act: Any) -> None:
    x = a.typed(m.value(i.operands[1], a.width(i.mods[-1]), act), i.mods[-1])
    rules = {"infinite": np.isinf, "finite": np.isfinite, "notanumber": np.isnan, "number": lambda v: ~np.isnan(v)}
    m.put(i.operands[0], _filled(rules[i.mods[0]](x), m, act), "pred", act)


def _dp4a(m: Any, i: Instruction, act: Any) -> None:
    x, y, c = (_filled(m.value(o, 32, act), m, act) for o in i.operands[1:4])
    signs = [np.int8 if k == "s32" else np.uint8 for k in i.mods[:2]]
    pairs = zip((x, y), signs, strict=True)
    parts = [np.ascontiguousarray(v).view(s).reshape(-1, 4).astype(np.int64) for v, s in pairs]
    total = (parts[0] * parts[1]).sum(axis=1) + c.astype(np.int64)
    m.put(i.operands[0], (total & 0xFFFFFFFF).astype(np.uint32), "b32", act)


_RULES = {
    "_mov": _mov, "_cvta": _cvta, "_cvt": _cvt, "_setp": _setp, "_selp": _selp, "_shl": _shl, "_shr": _shl,
    "_shf": _shf, "_popc": _counts, "_clz": _counts, "_brev": _brev, "_prmt": _prmt, "_bfe": _bfe, "_bfi": _bfi,
    "_testp": _testp, "_dp4a": _dp4a,
}  # fmt: skip
