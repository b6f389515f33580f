"""Initialisers that have one value whenever they are executed: what they name is constants, functions, and these
functions' own variables.

    static const v_int16 half = reinterpret(set_all((uint16_t)1 << 15));"""

from __future__ import annotations

from clang.cindex import Cursor, CursorKind, StorageClass, TLSKind, TypeKind
from clang.cindex import Type as ClangType

from lifter.frontend.clang import classes, types
from lifter.frontend.clang.libclang import (
    children,
    declared_fields,
    evaluate,
    in_own_header,
    initializer,
    operands,
    preorder,
)

K = CursorKind
_FUNCTIONS = {K.FUNCTION_DECL, K.CXX_METHOD, K.CONVERSION_FUNCTION, K.CONSTRUCTOR, K.DESTRUCTOR}
_UNRESOLVED = {K.OVERLOADED_DECL_REF, K.LAMBDA_EXPR, K.CXX_NEW_EXPR}


def is_closed(init: Cursor) -> bool:
    """Whether an initialiser has one value, whoever executes it, and when."""
    return _depends_on_nothing(init, None, set())


def _depends_on_nothing(c: Cursor, function: Cursor | None, visited: set[int]) -> bool:
    return all(_is_constant(n, function, visited) for n in preorder(c))


def _is_constant(n: Cursor, function: Cursor | None, visited: set[int]) -> bool:
    if n.kind in _UNRESOLVED or (function is None and _is_of_this(n)):
        return False
    target = n.referenced if n.kind.is_expression() or n.kind is K.MEMBER_REF else None
    made = n.kind is K.INIT_LIST_EXPR or (target is not None and target.kind is K.CONSTRUCTOR)
    if made and not _are_fields_closed(types.innermost(n.type), visited):
        return False
    if target is None:
        return n.kind is not K.CALL_EXPR or not list(n.get_arguments())
    if target.kind in _FUNCTIONS:
        return target.canonical.hash in visited or _is_closed_function(target, visited)
    if target.kind in (K.VAR_DECL, K.PARM_DECL):
        return _is_own(target, function) or (types.is_const(target.type) and _number(target))
    return True


def _is_of_this(n: Cursor) -> bool:
    return n.kind is K.CXX_THIS_EXPR or (n.kind is K.MEMBER_REF_EXPR and not operands(n))


def _is_closed_function(target: Cursor, visited: set[int]) -> bool:
    visited.add(target.canonical.hash)
    definition = target.get_definition()
    # What arguments are that are not given stands in any of the declarations.
    given = (p for d in (target, target.canonical) for p in d.get_arguments())
    if not all(_depends_on_nothing(p, target, visited) for p in given):
        return False
    if definition is None or not any(k.kind is K.COMPOUND_STMT for k in children(definition)):
        of_class = target.kind is not K.FUNCTION_DECL
        return in_own_header(target.location) or (of_class and classes.is_implicit(target))
    return _depends_on_nothing(definition, definition, visited)


def _are_fields_closed(t: ClangType, visited: set[int]) -> bool:
    """Whether what fields of a class are initialised to where nothing else is said has one value too."""
    if t.kind is not TypeKind.RECORD:
        return True
    declaration = t.get_declaration()
    if declaration.canonical.hash in visited:
        return True
    visited.add(declaration.canonical.hash)
    inside = [types.innermost(f.type) for f in declared_fields(t)]
    inside += [types.canonical(base) for base in classes.bases(t) if base is not None]
    own = all(_depends_on_nothing(f, None, visited) for f in declared_fields(t))
    return own and None not in classes.bases(t) and all(_are_fields_closed(x, visited) for x in inside)


def _is_own(variable: Cursor, function: Cursor | None) -> bool:
    """Whether a variable is new in each call of a function."""
    lasting = variable.storage_class in (StorageClass.STATIC, StorageClass.EXTERN)
    if function is None or lasting or variable.tls_kind != TLSKind.NONE:
        return False
    owner = variable.semantic_parent
    return owner is not None and owner.canonical.hash == function.canonical.hash


def _number(variable: Cursor) -> bool:
    definition = variable.get_definition() or variable
    init = initializer(definition)
    return types.scalar(variable.type) is not None and init is not None and evaluate(init) is not None
