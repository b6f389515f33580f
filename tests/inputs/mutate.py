"""Sources and compilation databases with something wrong in them: bytes, tokens, nesting, sizes."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from corpus.manifest import ROOT

_TOKEN = re.compile(rb"[A-Za-z_]\w*|\d[\w.]*|\s+|.", re.DOTALL)
_ODD_BYTES = [b"\0", b"\xff", b"\xe2\x80\xae", b"\r", b"\x1a", b"\\", b'"', b"'", b"/*", b"*/", b"//", b"#", b"\\\n"]
_ODD_TOKENS = [
    b"{", b"}", b"(", b")", b";", b"0", b"-1", b"99999999999999999999", b"0x", b"1e999", b"goto", b"return", b"struct",
    b"template<", b"#include <stdio.h>\n", b"#pragma omp parallel\n", b"volatile", b"unsigned", b"operator", b"auto",
    b"__attribute__((weak))", b"asm(\"nop\");", b"throw 1;", b"sizeof", b"<<", b"?", b"::", b"&", b"*", b"[", b"]",
]


@dataclass(frozen=True)
class Input:
    """Files to write, and the arguments of `lift`."""

    what: str
    files: dict[str, bytes]
    arguments: list[str]


def inputs(seed: int) -> Input:
    """The input of a number."""
    r = random.Random(seed)
    if r.random() < 0.15:
        return _database(r)
    sources = sorted(p for p in ROOT.rglob("*.cpp") if p.stat().st_size < 20_000)
    source = r.choice(sources)
    text = _one_function(source.read_bytes(), r)
    ways = [_bytes, _tokens, _nesting, _sizes, _lines, _tokens]
    way = r.choice(ways)
    for _ in range(r.choice([1, 1, 2, 5])):
        text = way(text, r)
    name = r.choice(["a.cpp", "a.cpp", "a.cpp", "a.c", 'a "b.cpp', "a\nb.cpp", "a\"\"\".cpp", "-a.cpp", "a b.c++"])
    emit = r.choice(["dsl", "dsl", "dsl,halide-cpp,summary", "shared"])
    return Input(f"{source.name}, {way.__name__[1:]}", {name: text}, [f"./{name}", "--emit", emit])


def _one_function(text: bytes, r: random.Random) -> bytes:
    """The head of a file, and one of its functions with what stands before it: so a run is short."""
    starts = [m.start() for m in re.finditer(rb"^[A-Za-z].*\{$", text, re.MULTILINE)]
    if len(starts) < 3:
        return text
    k = r.randrange(len(starts))
    end = starts[k + 1] if k + 1 < len(starts) else len(text)
    helpers = text[: starts[0]]
    return helpers + text[starts[max(k - 1, 0)] : end]


def _bytes(text: bytes, r: random.Random) -> bytes:
    at = r.randrange(len(text) + 1)
    kind = r.randrange(4)
    if kind == 0:
        return text[:at] + r.choice(_ODD_BYTES) + text[at:]
    if kind == 1:
        return text[:at] + bytes([r.randrange(256)]) + text[at + 1 :]
    if kind == 2:
        return text[:at]
    return text[:at] + text[at + r.randrange(1, 40) :]


def _tokens(text: bytes, r: random.Random) -> bytes:
    tokens = _TOKEN.findall(text)
    if not tokens:
        return text
    words = [k for k, t in enumerate(tokens) if not t.isspace()] or [0]
    a, b = r.choice(words), r.choice(words)
    kind = r.randrange(5)
    if kind == 0:
        del tokens[a]
    elif kind == 1:
        tokens[a], tokens[b] = tokens[b], tokens[a]
    elif kind == 2:
        tokens[a] = tokens[b]
    elif kind == 3:
        tokens.insert(a, b" " + r.choice(_ODD_TOKENS) + b" ")
    else:
        tokens[a] = r.choice(_ODD_TOKENS)
    return b"".join(tokens)


def _nesting(text: bytes, r: random.Random) -> bytes:
    n = r.choice([3, 50, 300, 2000])
    body = text.find(b"{", len(text) // 2)
    places = {
        "parentheses": lambda: b"int deep_(int a) { return " + b"(" * n + b"a" + b")" * n + b"; }\n" + text,
        "blocks": lambda: text[: body + 1] + b"{" * n + b"}" * n + text[body + 1 :],
        "loops": lambda: b"void deep_(int *a) { " + b"for (int i = 0; i < 2; i++) " * min(n, 400) + b"a[0]++; }" + text,
        "choices": lambda: b"int deep_(int a) { return " + b"a > 1 ? a : " * n + b"0; }\n" + text,
        "sums": lambda: b"int deep_(int a) { return a" + b" + a" * n + b"; }\n" + text,
    }
    return r.choice(sorted(places.items()))[1]()


def _sizes(text: bytes, r: random.Random) -> bytes:
    numbers = list(re.finditer(rb"(?<![\w.])\d+(?![\w.])", text))
    if not numbers:
        return text
    m = r.choice(numbers)
    value = r.choice([b"0", b"1", b"2147483647", b"4294967296", b"65536", b"1000000", b"3000000000u"])
    return text[: m.start()] + value + text[m.end() :]


def _lines(text: bytes, r: random.Random) -> bytes:
    lines = text.split(b"\n")
    a, b = sorted((r.randrange(len(lines)), r.randrange(len(lines))))
    return b"\n".join(r.choice([lines[:a] + lines[b:], lines[:b] + lines[a:], lines[:a] + lines[b:] + lines[a:b]]))


def _database(r: random.Random) -> Input:
    """A compilation database with something wrong in it."""
    entry = {"directory": ".", "file": "a.cpp", "command": "c++ -O2 -c a.cpp -o a.o"}
    changes: list[Callable[[dict], object]] = [
        lambda e: e.pop(r.choice(sorted(e))),
        lambda e: e.update({r.choice(sorted(e)): r.choice([1, None, [], {}, True, "", "\0", "a" * 5000])}),
        lambda e: e.update(command=e["command"] + r.choice([" '", ' "', " @none", " @.", " -D", " -I", " -x", " \\"])),
        lambda e: e.update(arguments=r.choice([1, "c++", [1], ["c++", "-c"], [], ["missing-cc", "-c", "a.cpp"]])),
        lambda e: e.update(directory=r.choice(["/", "missing", "a.cpp", "/dev/null", ".."])),
        lambda e: e.update(file=r.choice(["missing.cpp", ".", "/dev/zero", "/dev/null", "../a.cpp"])),
    ]
    entries: list[object] = []
    for _ in range(r.choice([1, 2])):
        e = dict(entry)
        r.choice(changes)(e)
        entries.append(e)
    text = json.dumps(entries).encode()
    if r.random() < 0.3:
        text = _bytes(text, r)
    source = b"void f(unsigned char *p, int n) { for (int i = 0; i < n; i++) p[i] ^= 1; }\n"
    files = {"compile_commands.json": text, "a.cpp": source}
    arguments = r.choice([["batch", "."], ["batch", "compile_commands.json"], ["a.cpp", "-p", "."]])
    return Input("database", files, arguments)


def write(found: Input, folder: Path) -> None:
    """Writes the files."""
    for name, text in found.files.items():
        (folder / name).write_bytes(text)
