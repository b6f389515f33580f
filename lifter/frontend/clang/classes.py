"""What classes are made of: their fields and base classes, and what the compiler or the user makes of copies."""

from __future__ import annotations

from collections.abc import Iterator

from clang.cindex import Cursor, CursorKind, TypeKind
from clang.cindex import Type as ClangType

from lifter.frontend.clang import types
from lifter.frontend.clang.asking import Asker
from lifter.frontend.clang.libclang import (
    children,
    declared_fields,
    in_own_header,
    in_std,
    in_system_header,
    members,
    specialized,
)

K = CursorKind


def is_plain(t: ClangType) -> bool:
    """Whether a type is a structure or class that is followed field by field: no container, closure or iterator."""
    if not types.is_record(t):
        return False
    place = types.canonical(t).get_declaration().location
    return not container(t) and not is_closure(t) and (not in_system_header(place) or in_own_header(place))


def bases(t: ClangType) -> list[ClangType | None]:
    """The base classes; None for one that depends on the parameters of a template."""
    own = (k.type for k in members(types.canonical(t).get_declaration()) if k.kind is K.CXX_BASE_SPECIFIER)
    return [base if types.canonical(base).kind is TypeKind.RECORD else None for base in own]


def known_bases(asker: Asker, t: ClangType, at: Cursor | None) -> list[ClangType]:
    """As `bases`; raises Unsupported where one is not known."""
    found = []
    for base in bases(t):
        if base is None:
            name = types.canonical(t).spelling
            asker.fail(f"object of '{name}', whose base class depends on a template's parameters", at)
        found.append(base)
    return found


def own_member(asker: Asker, t: ClangType, member: Cursor, at: Cursor | None) -> Cursor:
    """The class's own constructor without arguments, or destructor, where `member` may be its template's."""
    if specialized(types.canonical(t).get_declaration()) is None:
        return member
    kind = "destructor" if member.kind is K.DESTRUCTOR else "constructor"
    found = asker.unit.instance(types.canonical(t), kind)
    if found is None:
        asker.fail(f"{kind} of '{types.canonical(t).spelling}', an instance of a template that cannot be named", at)
    return found


def is_closure(t: ClangType) -> bool:
    """Whether a type is that of a lambda."""
    return "lambda" in types.canonical(t).spelling


def is_implicit(method: Cursor) -> bool:
    """Whether the compiler makes a constructor, assignment or destructor."""
    return bool(method.is_default_method()) or method.location == method.semantic_parent.location


def body_of(method: Cursor) -> tuple[Cursor, Cursor | None]:
    """The definition of a member function and its body; None for one that the compiler makes, or that is elsewhere."""
    definition = method.get_definition() or method
    if is_implicit(definition) or is_implicit(method):
        return definition, None
    return definition, next((k for k in children(definition) if k.kind is K.COMPOUND_STMT), None)


def fields(asker: Asker, t: ClangType, at: Cursor | None, unions: bool = False) -> Iterator[Cursor]:
    """The fields of a class in the order of their initialisation, those of base classes first; with all members of
    `unions` for who only reads them."""
    record = types.canonical(t)
    if is_union(record) and not is_one_size(record) and not unions:
        asker.fail(f"object of the union '{record.spelling}'", at)
    for base in known_bases(asker, t, at):
        yield from fields(asker, base, at, unions)
    for f in declared_fields(record):
        inner = types.canonical(f.type)
        if types.is_record(inner) and not f.spelling.isidentifier():  # libclang calls it by its place in the file
            if is_union(inner) and not unions:
                asker.fail("unnamed union in a structure", at)
            yield from fields(asker, inner, at, unions)
        else:
            if f.is_mutable_field():
                asker.fail(f"mutable field '{f.spelling}'", at)
            yield f


def is_union(t: ClangType) -> bool:
    """Whether a type is a union."""
    return bool(types.canonical(t).get_declaration().kind is K.UNION_DECL)


def is_in_union(field: Cursor) -> bool:
    """Whether a field shares its memory with others, directly or within a structure without a name."""
    owner = field.semantic_parent
    while owner is not None and owner.kind in (K.UNION_DECL, K.STRUCT_DECL, K.CLASS_DECL):
        if owner.kind is K.UNION_DECL:
            return True
        owner = owner.semantic_parent if owner.is_anonymous() else None
    return False


def is_one_size(t: ClangType) -> bool:
    """Whether all members of a union are scalars of one size, or registers."""
    sizes = {types.register_bytes(f.type) for f in declared_fields(t)}
    if len(sizes) == 1 and sizes != {0}:
        return True
    found = [types.scalar(f.type) for f in declared_fields(t)]
    whole = [s for s in found if s is not None and not s.is_bool()]
    return len(whole) == len(found) > 0 and len({s.bits for s in whole}) == 1


def own_fields(asker: Asker, t: ClangType, at: Cursor | None, unions: bool = False) -> list[Cursor]:
    """As `fields`, each name once."""
    found = list(fields(asker, t, at, unions))
    names = [f.spelling for f in found]
    for name in names:
        if names.count(name) > 1:
            asker.fail(f"field '{name}' in a class and in its base class", at)
    return found


def is_trivial(t: ClangType) -> bool:
    """Whether objects of a class are copied field by field, and nothing happens when they go."""
    record = types.canonical(t)
    if record.kind is not TypeKind.RECORD:
        return True
    for k in members(record.get_declaration()):
        copies = k.kind is K.CONSTRUCTOR and (k.is_copy_constructor() or k.is_move_constructor())
        assigns = k.kind is K.CXX_METHOD and k.spelling == "operator="
        if (copies or assigns or k.kind is K.DESTRUCTOR) and not is_implicit(k):
            return False
    if any(base is None or not is_trivial(base) for base in bases(record)):
        return False
    return all(is_trivial(types.innermost(f.type)) for f in declared_fields(record))


def has_constructor_template(t: ClangType) -> bool:
    """Whether a class has a constructor that is a template, which may be the one without arguments."""
    declaration = types.canonical(t).get_declaration()
    name = declaration.spelling
    return any(
        k.kind is K.FUNCTION_TEMPLATE and k.spelling.partition("<")[0] == name for k in members(declaration)
    )


def has_no_initialiser(t: ClangType) -> bool:
    """Whether a new object of a class holds nothing yet: it has no constructors, its fields no initialisers."""
    if has_constructor_template(t) or any(base is None or not has_no_initialiser(base) for base in bases(t)):
        return False
    for k in members(types.canonical(t).get_declaration()):
        if k.kind is K.CONSTRUCTOR and not is_implicit(k):
            return False
        if k.kind is K.FIELD_DECL:
            parts = [p for p in children(k) if p.kind.is_expression() or p.kind is K.UNEXPOSED_EXPR]
            if any(p.kind is K.INIT_LIST_EXPR for p in parts) or (parts and not types.is_array(k.type)):
                return False
    return all(
        not types.is_record(f.type) or has_no_initialiser(f.type) for f in declared_fields(types.canonical(t))
    )


def is_base_of(part: ClangType, whole: ClangType) -> bool:
    """Whether a conversion between two types is one of an object to a part of it."""
    a, b = types.canonical(part), types.canonical(whole)
    both = a.kind is TypeKind.RECORD and b.kind is TypeKind.RECORD
    return both and not types.same_but_const(a, b)


def check_copy(asker: Asker, t: ClangType, at: Cursor | None) -> None:
    """Refuses what the compiler's own copy would not do by fields: base classes that copy in their own way."""
    for base in known_bases(asker, t, at):
        if not is_trivial(base):
            asker.fail(f"copy of an object whose base class '{base.spelling}' copies in its own way", at)


def is_padded(asker: Asker, t: ClangType, at: Cursor | None) -> bool:
    inside = 0
    for f in fields(asker, t, at):
        if types.is_record(types.innermost(f.type)) and is_padded(asker, types.innermost(f.type), at):
            return True
        inside += int(f.type.get_canonical().get_size())
    return inside != int(types.canonical(t).get_size())


_CONTAINERS = {"vector", "array", "unique_ptr"}


def is_container(declaration: Cursor | None) -> bool:
    """Whether a class is std::vector, std::array or std::unique_ptr."""
    return declaration is not None and declaration.spelling in _CONTAINERS and in_std(declaration)


def container(t: ClangType) -> str:
    """ "vector", "rows" for a vector of vectors, "array", "unique_ptr" or "" for another type."""
    c = types.canonical(t)
    if c.kind.name != "RECORD":
        return ""
    declaration = c.get_declaration()
    if not is_container(declaration):
        return ""
    name = str(declaration.spelling)
    return "rows" if name == "vector" and container(argument(c)) == "vector" else name


def argument(t: ClangType) -> ClangType:
    """The elements of a container, as its type says."""
    return types.canonical(t).get_template_argument_type(0).get_canonical()
