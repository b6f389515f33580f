"""What GCC's preprocessed text has that clang does not know, said in clang's words.

Lines stay where they are.  Only what the standard library and the C library ask of GCC is translated: what a program's
own code has of GCC's alone, clang refuses, and the lifter with it."""

from __future__ import annotations

import re

PRELUDE_FILE = "<lift>"
_FLOATS = {
    b"_Float32": b"float", b"_Float64": b"double", b"_Float32x": b"double", b"_Float64x": b"long double",
    b"_Float128": b"__float128",
}
# `__integer_pack(N)...` is 0, 1, ..., N-1: clang makes the whole class of it.
_SEQUENCE = re.compile(rb"(\w+)<\s*(\w+)\s*,\s*__integer_pack\s*\(\s*(\w+)\s*\)\s*\.\.\.\s*>")
_INDICES = re.compile(rb"using (\w+) = (\w+)<\s*__integer_pack\s*\(\s*(\w+)\s*\)\s*\.\.\.\s*>;")
# The function that frees what another one allocates.
_FREED_BY = re.compile(rb"__malloc__\s*\((?:[^()]|\([^()]*\))*\)")


def for_clang(text: bytes) -> bytes:
    """GCC's text as clang reads it."""
    if b"__integer_pack" in text:
        text = _SEQUENCE.sub(rb"__make_integer_seq<\1, \2, \3>", text)
        text = _INDICES.sub(
            rb"template<typename, decltype(sizeof 0)... _K> using _Lift_pack = \2<_K...>; "
            rb"using \1 = __make_integer_seq<_Lift_pack, decltype(sizeof 0), \3>;",
            text,
        )
    text = _FREED_BY.sub(b"__malloc__", text)
    return _prelude(text) + text


def _prelude(text: bytes) -> bytes:
    """Types that GCC has as keywords, where the text uses them and does not define them itself."""
    # Patterns that begin with what is looked for are searched for ten times as fast as those that begin with a place.
    wanted = [
        b"typedef %s %s;" % (known, name) for name, known in _FLOATS.items()
        if re.search(rb"%s\b" % name, text) and not re.search(rb"typedef[\w\s]*\b%s\s*;" % name, text)
    ]
    return b'# 1 "%s" 3\n%s\n' % (PRELUDE_FILE.encode(), b" ".join(wanted)) if wanted else b""
