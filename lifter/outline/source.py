"""The copy of a source file in which loops are functions of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from clang.cindex import Cursor, Type

from lifter.frontend.clang import types
from lifter.outline.fragments import Fragment, Variable

_DECLARATOR = re.compile(r"\(\s*[*&^][^()]*\)|\[")


def with_functions(text: bytes, path: str, fragments: Iterable[Fragment]) -> bytes:
    """The text with each fragment's function before the function that it is of, which stays as it is."""
    return _edited(text, _insertions(text, path, fragments))


def with_calls(text: bytes, path: str, fragments: Sequence[Fragment], more: Sequence[Fragment] = ()) -> bytes:
    """The same, with a call in the place of each loop but for those of `more`."""
    edits = _insertions(text, path, (*fragments, *more))
    for f in fragments:
        start, end = f.loop.extent.start.offset, _end(text, f.loop)
        lines = b"\n" * text.count(b"\n", start, end)
        edits.append((start, end, call(f).encode() + lines))
    return _edited(text, edits)


def _insertions(text: bytes, path: str, fragments: Iterable[Fragment]) -> list[tuple[int, int, bytes]]:
    return [(start, start, _function(text, path, f)) for f in fragments for start in (_start(text, f.function),)]


def call(f: Fragment) -> str:
    """The call that stands for a loop."""
    arguments = []
    moving = [v.name for v in f.variables if v.moves]
    for v in f.variables:
        if v.moves:
            arguments += [v.name, f"&{v.name}__by"]
        elif v.left and not v.is_array and not (v.is_object and f.cxx):
            arguments += [v.name, f"&{v.name}"] if _is_given_as_number(v) else [f"&{v.name}"]
        elif (v.given or (v.is_object and f.cxx) or v.is_array) and v.declaration is None:
            arguments.append(v.name)
    text = f"{f.name}({', '.join(arguments)});"
    if not moving:
        return text
    before = "".join(f"long {name}__by; " for name in moving)
    after = "".join(f" {name} += {name}__by;" for name in moving)
    return f"{{ {before}{text}{after} }}"


def _is_given_as_number(v: Variable) -> bool:
    """Whether a variable that a loop leaves behind has a number before: given as such, not as memory, it may say which
    elements the loop goes over."""
    return v.given and types.scalar(v.type) is not None


def _function(text: bytes, path: str, f: Fragment) -> bytes:
    head, before, after = [], [], []
    for v in f.variables:
        if v.declaration is not None:
            before.append(f"{_text(text, v.declaration)};")
        elif v.made_of is not None:
            before.append(f"{declared(v.type, v.name)} = {_text(text, v.made_of)};")
        elif v.is_array:
            head.append(declared(v.type, v.name))
        elif v.is_object and f.cxx:
            head.append(declared(v.type, v.name, "&"))
        elif v.moves:
            head += [declared(v.type, f"{v.name}__from"), f"long *{v.name}__by"]
            before.append(f"{declared(v.type, v.name)} = {v.name}__from;")
            after.append(f"*{v.name}__by = {v.name} - {v.name}__from;")
        elif v.left and _is_given_as_number(v):
            head += [declared(v.type, v.name), declared(v.type, f"{v.name}__left", "*")]
            after.append(f"*{v.name}__left = {v.name};")
        elif v.left:
            head.append(declared(v.type, f"{v.name}__left", "*"))
            before.append(f"{declared(v.type, v.name)} = *{v.name}__left;")
            after.append(f"*{v.name}__left = {v.name};")
        elif v.given:
            head.append(declared(v.type, v.name))
        else:
            before.append(f"{declared(v.type, v.name)};")
    body = text[f.loop.extent.start.offset : _end(text, f.loop)].decode("utf-8", "replace")
    quoted = path.replace("\\", "\\\\").replace('"', '\\"')
    of = f.function.extent.start.line
    return (
        f"\n#line {f.line} \"{quoted}\"\n"
        f"static void {f.name}({', '.join(head) or 'void'}) {{ {' '.join(before)}\n"
        f"#line {f.line} \"{quoted}\"\n{body}\n{' '.join(after)} }}\n#line {of} \"{quoted}\"\n"
    ).encode()


def declared(t: Type, name: str, pointer: str = "") -> str:
    """A declaration of a name, or of a pointer to what it names.  `T` of the name stands where a declarator has it."""
    spelled = str(t.spelling)
    name = pointer + name
    found = _DECLARATOR.search(spelled)
    if found is None:
        return f"{spelled} {name}" if not spelled.endswith(("*", "&")) else f"{spelled}{name}"
    if found.group() == "[":
        inner = f"({name})" if pointer else name
        return f"{spelled[: found.start()].rstrip()} {inner}{spelled[found.start() :]}"
    return f"{spelled[: found.end() - 1]}{name}{spelled[found.end() - 1 :]}"


def _start(text: bytes, function: Cursor) -> int:
    """Where a function's text begins: at the `extern "C"` that is for it alone."""
    start = int(function.extent.start.offset)
    before = re.search(rb'extern\s*"C(?:\+\+)?"\s*\Z', text[:start])
    return before.start() if before is not None else start


def _text(text: bytes, c: Cursor) -> str:
    return text[c.extent.start.offset : c.extent.end.offset].decode("utf-8", "replace")


def _end(text: bytes, loop: Cursor) -> int:
    """After the loop, and after the semicolon that ends its last statement."""
    end = int(loop.extent.end.offset)
    rest = re.match(rb"\s*;", text[end:])
    return end + rest.end() if rest is not None and not text[:end].rstrip().endswith((b"}", b";")) else end


def _edited(text: bytes, edits: Iterable[tuple[int, int, bytes]]) -> bytes:
    out, at = [], 0
    for start, end, new in sorted(edits, key=lambda e: e[:2]):
        out += [text[at:start], new]
        at = end
    return b"".join([*out, text[at:]])
