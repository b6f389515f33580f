"""What the end of a file calls its functions, variables and classes, those in unnamed namespaces too."""

from __future__ import annotations

from clang.cindex import Cursor, CursorKind, TypeKind
from clang.cindex import Type as ClangType

from lifter.frontend.clang import types
from lifter.frontend.clang.libclang import children, is_inline_namespace

K = CursorKind
UNNAMED = "(anonymous namespace)::"
"""What clang writes of an unnamed namespace, and what C++ has no word for."""
_CLASSES = {K.CLASS_DECL, K.STRUCT_DECL, K.UNION_DECL}
_TEMPLATES = {K.CLASS_TEMPLATE, K.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION}
_OF_TYPES = {*_CLASSES, *_TEMPLATES, K.TYPEDEF_DECL, K.TYPE_ALIAS_DECL, K.TYPE_ALIAS_TEMPLATE_DECL, K.ENUM_DECL}


def name(declaration: Cursor) -> str:
    """A variable's or function's name as the end of its file may call it; "" for one that cannot be named there, as
    those inside of functions."""
    own = str(declaration.spelling)
    scope = declaration.semantic_parent
    if scope is not None and scope.kind in _CLASSES:
        found = class_name(scope.type)
        return f"{found}::{own}" if found else ""
    scopes: list[str] = []
    while scope is not None and scope.kind is not K.TRANSLATION_UNIT:
        if scope.kind not in (K.NAMESPACE, K.LINKAGE_SPEC):
            return ""
        if scope.kind is K.NAMESPACE and not scope.is_anonymous():
            scopes.append(str(scope.spelling))
        scope = scope.semantic_parent
    return "::".join([*scopes[::-1], own])


def class_name(t: ClangType) -> str:
    """A class as the end of its file may call it; "" for one that cannot be named there: one without a name, inside of
    a function, or of the name of another where the unnamed namespaces around it are left out."""
    own = types.canonical(t)
    spelled = str(own.spelling).removeprefix("const ").replace(UNNAMED, "")
    return "" if "(" in spelled or (UNNAMED in own.spelling and not _all_alone(own)) else spelled


def _all_alone(t: ClangType) -> bool:
    """Whether no other type has the name of a class, or of one among its arguments, if unnamed namespaces are left
    out."""
    if UNNAMED not in t.spelling:
        return True
    declaration = t.get_declaration()
    arguments = (t.get_template_argument_type(k) for k in range(t.get_num_template_arguments()))
    asked = [types.canonical(a) for a in arguments if a.kind is not TypeKind.INVALID]
    return declaration.kind in _OF_TYPES and _is_alone(declaration) and all(map(_all_alone, asked))


def _is_alone(declaration: Cursor) -> bool:
    path: list[str] = []
    scope: Cursor | None = declaration
    while scope is not None and scope.kind is not K.TRANSLATION_UNIT:
        if not (scope.kind is K.LINKAGE_SPEC or (scope.kind is K.NAMESPACE and scope.is_anonymous())):
            path.insert(0, scope.spelling)
        scope = scope.semantic_parent
    found = [] if scope is None else [scope]
    for k, word in enumerate(path):
        kinds = _OF_TYPES if k + 1 == len(path) else {*_OF_TYPES, K.NAMESPACE}
        found = [c for each in found for c in _seen(each) if c.spelling == word and c.kind in kinds]
    # The specialisations of a template are of its name.
    return len({c.semantic_parent.get_usr() for c in found}) == 1


def _seen(scope: Cursor) -> list[Cursor]:
    """What is declared in a scope, and in the unnamed and inline namespaces there."""
    out: list[Cursor] = []
    for c in children(scope):
        through = c.kind is K.LINKAGE_SPEC or (c.kind is K.NAMESPACE and (c.is_anonymous() or is_inline_namespace(c)))
        out += [c, *_seen(c)] if through else [c]
    return out
