"""Members of class templates' instances: libclang shows one only where an expression names it.

So text is added to the file that names what is asked for, and the file is parsed again."""

from __future__ import annotations

from collections.abc import Iterator

from clang.cindex import Cursor, CursorKind, TranslationUnit
from clang.cindex import Type as ClangType

from lifter.frontend.clang.libclang import children, preorder

NAMESPACE = "lift_instances"
Key = tuple[str, str]
"""Which member ("constructor" without arguments, or "destructor"), and the class."""
_MEMBERS = {CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR}


class Wanted(Exception):
    """A member must be known before a function can be lowered."""

    def __init__(self, key: Key) -> None:
        super().__init__(key)
        self.key = key


def key(t: ClangType, member: str) -> Key:
    """What a member of a class is asked for by."""
    return member, t.get_canonical().spelling.removeprefix("const ")


def text(keys: list[Key]) -> str:
    """What is added to the file."""
    out = []
    for k, (member, spelled) in enumerate(keys):
        alias, object_ = f"lift_class_{k}", f"lift_use_{k}"
        use = f"() {{ {alias} object; }}" if member == "constructor" else f"({alias} &object) {{ object.~{alias}(); }}"
        named = spelled.replace("(anonymous namespace)::", "")
        out.append(f"typedef {named} {alias}; inline void {object_}{use}")
    return f"\nnamespace {NAMESPACE} {{\n" + "\n".join(out) + "\n}\n"


def found(unit: TranslationUnit, keys: list[Key]) -> dict[Key, Cursor | None]:
    """The members that the added text names."""
    scope = [c for c in children(unit.cursor) if c.kind is CursorKind.NAMESPACE and c.spelling == NAMESPACE]
    uses = {c.spelling: c for s in scope for c in children(s) if c.kind is CursorKind.FUNCTION_DECL}
    return {k: next(_named(uses[f"lift_use_{n}"], k), None) for n, k in enumerate(keys)}


def _named(use: Cursor, wanted: Key) -> Iterator[Cursor]:
    for c in preorder(use):
        target = c.referenced if c.kind is CursorKind.CALL_EXPR else None
        # Another class may have the name that one in an unnamed namespace is looked up by.
        if target is not None and target.kind in _MEMBERS and key(target.semantic_parent.type, wanted[0]) == wanted:
            yield target
