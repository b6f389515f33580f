"""On which text of its file a function depends, so that what is kept of it outlives changes of other functions.

The text is the compiler's, preprocessed.  All of it counts but the definitions of plain functions that the function
cannot come to: it comes to those whose names stand in its own text, in the text of those it comes to, or outside of
such definitions; a declaration alone names nothing.  Names count as words, in strings too (`alias("f")`).  What may be
called without being named (members, operators, templates, what runs before `main`) is never left out, nor are
functions that pragmas or assembly stand in, nor those that share a variable of the file."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from clang.cindex import Cursor, CursorKind

from lifter.frontend.clang.libclang import children
from lifter.frontend.clang.parsing import Parsed
from lifter.frontend.lowering import functions

_WORD = re.compile(rb"[\w$\x80-\xff]+")
_SCOPES = {CursorKind.LINKAGE_SPEC, CursorKind.UNEXPOSED_DECL}
_UNNAMED = {b"begin", b"end", b"get", b"main"}
"""What loops over ranges and structured bindings call, and what is called from outside."""
_NEVER_LEFT_OUT = {b"_Pragma", b"asm", b"__asm", b"__asm__", b"constructor", b"__constructor__"}
_DIRECTIVE = re.compile(rb"^[ \t]*#(?![ \t]*\d)", re.MULTILINE)
_MARKER = re.compile(rb'^#[ \t]+(\d+)[ \t]+("[^\n]*)$', re.MULTILINE)
_RESYNC = re.compile(rb'^#[ \t]+\d+[ \t]+"[^"\n]*"[ \t]*$\n?', re.MULTILINE)
_EMPTY = re.compile(rb"^[ \t]*\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Piece:
    """The definition of a function, or text between two of these."""

    text: bytes
    """Without the numbers of its lines."""
    words: frozenset[bytes]
    name: bytes = b""
    start: int = 0

    @property
    def digest(self) -> bytes:
        return hashlib.sha256(self.text).digest()


class Dependences:
    """The text that each function of a file depends on."""

    def __init__(self, parsed: Parsed, definitions: Sequence[Cursor]) -> None:
        self._parsed, self._text = parsed, parsed.text.text
        names = Counter(str(c.spelling) for c in definitions)
        self._alike = {n for n, count in names.items() if count > 1}

    def of(self, c: Cursor) -> str:
        """A digest of it; "" where it is the whole file."""
        name = str(c.spelling)
        if not self._known or name in self._alike or re.sub(r"_\d+$", "", name) in self._alike:
            return ""  # what is written for functions of one name is numbered, which depends on the others
        content = hashlib.sha256(functions.symbol(c).encode())
        content.update(self._with_own_lines(c.extent.start.offset, c.extent.end.offset))
        own = next((p for p in self._pieces if p.name and p.start == c.extent.start.offset), None)
        reached = self._reached(own)
        for p in self._pieces:
            if p is own:
                content.update(b"own")
            if (not p.name or p.name in reached) and p.text:
                content.update(p.digest)
        return content.hexdigest()

    @cached_property
    def _known(self) -> bool:
        """Whether a name is always spelled as it is where it is defined, and nothing runs that is not called."""
        if not self._parsed.text.regions or re.search(rb"\\[uU]", self._text):
            return False
        if self._parsed.strange:
            return False  # where clang does not read a body, it may be wrong about its end
        return not {b"constructor", b"__constructor__"} & self._outside

    def _with_own_lines(self, a: int, b: int) -> bytes:
        """Text with its lines as they are numbered from its first one on."""
        first = self._parsed.text.place(a)[1]
        return _MARKER.sub(lambda m: b"# %d %s" % (int(m[1]) - first, m[2]), self._text[a:b])

    def _reached(self, own: _Piece | None) -> frozenset[bytes]:
        """The names of the functions that one comes to; it stands in no definition that may be left out if None."""
        found, words = set[bytes](), set(self._outside)
        shared = set(self._variables) if own is None else set[bytes]()
        new = {own.name} if own is not None else set[bytes]()
        while True:
            found |= new
            for n in new:
                words |= self._by_name[n]
                shared |= self._by_name[n] & self._variables
            new = {n for n, w in self._by_name.items() if n not in found and (n in words or w & shared)}
            if not new:
                return frozenset(found)

    @cached_property
    def _by_name(self) -> dict[bytes, set[bytes]]:
        """The words of all functions of a name that may be left out."""
        found: dict[bytes, set[bytes]] = {}
        for p in self._pieces:
            if p.name:
                found.setdefault(p.name, set()).update(p.words)
        return found

    @cached_property
    def _declared(self) -> list[Cursor]:
        return list(_of_scope(self._parsed, self._parsed.unit.cursor))

    @cached_property
    def _functions(self) -> list[tuple[int, int, bytes]]:
        """Where the functions stand that may be left out, and their names."""
        defined = [
            c for c in self._declared
            if c.kind is CursorKind.FUNCTION_DECL and c.is_definition() and self._parsed.in_main_file(c)
        ]
        found = []
        for c in defined:
            a, b, name = c.extent.start.offset, c.extent.end.offset, str(c.spelling).encode()
            text = self._text[a:b]
            words = set(_WORD.findall(text))
            called_by_name = _WORD.fullmatch(name) is not None and name not in _UNNAMED
            if called_by_name and not _NEVER_LEFT_OUT & words and not _DIRECTIVE.search(text):
                found.append((a, b, name))
        found.sort()
        inside = {m for k, m in pairwise(found) if m[0] < k[1]}
        return [f for f in found if f not in inside]

    @cached_property
    def _pieces(self) -> list[_Piece]:
        found, at = [], 0
        for a, b, name in self._functions:
            found += [self._piece(at, a), self._piece(a, b, name)]
            at = b
        return [*found, self._piece(at, len(self._text))]

    def _piece(self, a: int, b: int, name: bytes = b"") -> _Piece:
        text = self._text[a:b]
        words = frozenset(_WORD.findall(text)) if name else frozenset()
        return _Piece(_without_lines(text), words, name, a)

    @cached_property
    def _outside(self) -> frozenset[bytes]:
        """The words outside of definitions that may be left out; declarations do not name what they declare."""
        names = {name for _, _, name in self._functions}
        words = set[bytes]()
        cuts = [(a, b) for a, b, _ in self._functions]
        for c in self._declared:
            name = str(c.spelling).encode()
            if c.kind is CursorKind.FUNCTION_DECL and name in names and not c.is_definition():
                a, b = c.extent.start.offset, c.extent.end.offset
                words |= {*_WORD.findall(self._text[a:b])} - {name}
                cuts.append((a, b))
        at = 0
        for a, b in sorted(cuts):
            if a >= at:
                words.update(_WORD.findall(self._text, at, a))
                at = b
        words.update(_WORD.findall(self._text, at))
        return frozenset(words)

    @cached_property
    def _variables(self) -> frozenset[bytes]:
        """The names of the file's variables."""
        return frozenset(str(c.spelling).encode() for c in self._declared if c.kind is CursorKind.VAR_DECL)


def _of_scope(parsed: Parsed, scope: Cursor) -> Iterator[Cursor]:
    for c in children(scope):
        yield c
        if c.kind in _SCOPES or (c.kind is CursorKind.NAMESPACE and parsed.in_main_file(c)):
            yield from _of_scope(parsed, c)


def _without_lines(text: bytes) -> bytes:
    """Text without the numbers in its line markers, and without empty lines; with them where strings may have some."""
    if b'R"' in text:
        return text
    return _EMPTY.sub(b"", _MARKER.sub(rb"# \2", _RESYNC.sub(b"", text)))
