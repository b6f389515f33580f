"""Questions to libclang's tree, and the parts of its C interface that the Python binding lacks."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterator
from pathlib import Path

from clang import cindex
from clang.cindex import Cursor, CursorKind, Type

from lifter.toolchain.preprocess import OWN_HEADERS

INCLUDE_DIRECTORY = Path(__file__).resolve().parents[2] / "include"

# CXBinaryOperatorKind and CXUnaryOperatorKind, by value.
_BINARY = (
    "",
    *(".*", "->*", "*", "/", "%", "+", "-", "<<", ">>", "<=>", "<", ">", "<=", ">=", "==", "!=", "&", "^", "|"),
    *("&&", "||", "=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|=", ","),
)
_UNARY = ("", "x++", "x--", "++x", "--x", "&", "*", "+", "-", "~", "!", "__real", "__imag", "__extension__", "co_await")


_PLACE = (
    ctypes.POINTER(cindex._CXString), ctypes.POINTER(ctypes.c_uint), ctypes.POINTER(ctypes.c_uint),
)


@functools.lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    lib: ctypes.CDLL = cindex.conf.lib
    for name, result, arguments in (
        ("clang_getCursorBinaryOperatorKind", ctypes.c_int, [Cursor]),
        ("clang_getCursorUnaryOperatorKind", ctypes.c_int, [Cursor]),
        ("clang_Cursor_isInlineNamespace", ctypes.c_uint, [Cursor]),
        ("clang_Cursor_Evaluate", ctypes.c_void_p, [Cursor]),
        ("clang_EvalResult_getKind", ctypes.c_int, [ctypes.c_void_p]),
        ("clang_EvalResult_getAsLongLong", ctypes.c_longlong, [ctypes.c_void_p]),
        ("clang_EvalResult_isUnsignedInt", ctypes.c_uint, [ctypes.c_void_p]),
        ("clang_EvalResult_getAsUnsigned", ctypes.c_ulonglong, [ctypes.c_void_p]),
        ("clang_EvalResult_getAsDouble", ctypes.c_double, [ctypes.c_void_p]),
        ("clang_EvalResult_dispose", None, [ctypes.c_void_p]),
        ("clang_Cursor_getVarDeclInitializer", Cursor, [Cursor]),
        ("clang_Cursor_isNull", ctypes.c_int, [Cursor]),
        ("clang_Location_isInSystemHeader", ctypes.c_int, [cindex.SourceLocation]),
        ("clang_getPresumedLocation", None, [cindex.SourceLocation, *_PLACE]),
    ):
        function = getattr(lib, name)
        function.restype = result
        function.argtypes = arguments
    return lib


def binary_operator(c: Cursor) -> str:
    """The operator of a binary or compound assignment expression, as C++ spells it."""
    return _BINARY[_library().clang_getCursorBinaryOperatorKind(c)]


def unary_operator(c: Cursor) -> str:
    """The operator of a unary expression; increments are "x++", "x--", "++x" and "--x"."""
    return _UNARY[_library().clang_getCursorUnaryOperatorKind(c)]


def changes(c: Cursor) -> bool:
    """Whether an expression itself assigns or increments something, which clang's own evaluation passes over."""
    if c.kind is CursorKind.BINARY_OPERATOR and binary_operator(c) == ",":
        return any(k.kind is CursorKind.CALL_EXPR for k in preorder(children(c)[0]))
    if c.kind is CursorKind.BINARY_OPERATOR:
        return binary_operator(c) == "="
    if c.kind is CursorKind.UNARY_OPERATOR:
        return unary_operator(c) in ("x++", "x--", "++x", "--x")
    return bool(c.kind is CursorKind.COMPOUND_ASSIGNMENT_OPERATOR)


def evaluate(c: Cursor) -> int | float | None:
    """The value of a constant expression or of a variable's constant initialiser; None if it is not constant, or has
    side effects."""
    if c.kind is not CursorKind.CXX_UNARY_EXPR and any(map(changes, preorder(c))):
        return None
    lib = _library()
    result = lib.clang_Cursor_Evaluate(c)
    if not result:
        return None
    try:
        kind = lib.clang_EvalResult_getKind(result)
        if kind == 1:
            if lib.clang_EvalResult_isUnsignedInt(result):
                return int(lib.clang_EvalResult_getAsUnsigned(result))
            return int(lib.clang_EvalResult_getAsLongLong(result))
        if kind == 2:
            return float(lib.clang_EvalResult_getAsDouble(result))
        return None
    finally:
        lib.clang_EvalResult_dispose(result)


def initializer(c: Cursor) -> Cursor | None:
    """The initialiser of a variable declaration."""
    lib = _library()
    result = lib.clang_Cursor_getVarDeclInitializer(c)
    if lib.clang_Cursor_isNull(result):
        return None
    result._tu = c._tu
    return result


def is_inline_namespace(c: Cursor) -> bool:
    return bool(_library().clang_Cursor_isInlineNamespace(c))


def in_system_header(location: cindex.SourceLocation) -> bool:
    """Whether a location lies in a header found on a system include path."""
    return bool(_library().clang_Location_isInSystemHeader(location))


def in_std(c: Cursor) -> bool:
    """Whether a declaration is one of the standard library's namespace; others have headers on system paths too."""
    name, scope = "", c.semantic_parent
    while scope is not None and scope.kind is not CursorKind.TRANSLATION_UNIT:
        name, scope = scope.spelling or name, scope.semantic_parent
    return name in ("std", "__gnu_cxx") and in_system_header(c.location)


def place(location: cindex.SourceLocation) -> tuple[str, int, int]:
    """File, line and column in the user's terms, as line markers say; "" and zeros for nowhere."""
    file, line, column = cindex._CXString(), ctypes.c_uint(), ctypes.c_uint()
    _library().clang_getPresumedLocation(location, ctypes.byref(file), ctypes.byref(line), ctypes.byref(column))
    return cindex.conf.lib.clang_getCString(file) or "", line.value, column.value


def line(c: Cursor) -> int:
    """A cursor's line in the user's file."""
    return place(c.location)[1]


def in_own_header(location: cindex.SourceLocation) -> bool:
    """Whether a location lies in a header that comes with the front end."""
    file = place(location)[0]
    return file != "" and Path(file).parent in (INCLUDE_DIRECTORY, OWN_HEADERS)


_HEADROOM = 16
"""Calls within each other that a visitor of the binding may take."""


def children(c: Cursor) -> list[Cursor]:
    """The child cursors, in order.

    Raises RecursionError rather than leave any out: the binding swallows what its visitors raise."""
    _descend(_HEADROOM)
    found: list[Cursor] = []

    def visit(child: Cursor, _parent: Cursor, _data: object) -> int:
        child._tu = c._tu
        found.append(child)
        return 1

    if cindex.conf.lib.clang_visitChildren(c, cindex.callbacks["cursor_visit"](visit), found):
        raise RecursionError
    return found


def preorder(c: Cursor) -> Iterator[Cursor]:
    """A cursor and all below it, each before what is below it.  Raises RecursionError as `children` does."""
    stack = [c]
    while stack:
        found = stack.pop()
        yield found
        stack += reversed(children(found))


def declared_fields(t: Type) -> list[Cursor]:
    """The fields of a record.  Raises RecursionError as `children` does."""
    _descend(_HEADROOM)
    return list(t.get_fields())


def _descend(levels: int) -> None:
    """Raises RecursionError where so many calls more would."""
    if levels:
        _descend(levels - 1)


_MEMBER_KINDS = {
    *(CursorKind.FIELD_DECL, CursorKind.CXX_BASE_SPECIFIER, CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR),
    *(CursorKind.CXX_METHOD, CursorKind.FUNCTION_TEMPLATE, CursorKind.CONVERSION_FUNCTION, CursorKind.VAR_DECL),
}


def members(declaration: Cursor) -> list[Cursor]:
    """What a class declares; of an instance of a class template, whose members libclang does not list, those of the
    template."""
    own = children(declaration)
    if any(c.kind in _MEMBER_KINDS for c in own):
        return own
    template = specialized(declaration)
    return own if template is None else children(template)


def specialized(declaration: Cursor) -> Cursor | None:
    """The template, or the partial specialisation, that a class is an instance of."""
    lib = _library()
    result = lib.clang_getSpecializedCursorTemplate(declaration)
    if result is None or lib.clang_Cursor_isNull(result):
        return None
    result._tu = declaration._tu
    return result


_REFERENCE_KINDS = {
    CursorKind.TYPE_REF,
    CursorKind.NAMESPACE_REF,
    CursorKind.TEMPLATE_REF,
    CursorKind.MEMBER_REF,
    CursorKind.OVERLOADED_DECL_REF,
}


def operands(c: Cursor) -> list[Cursor]:
    """The child cursors that are expressions or statements: without references to types and namespaces."""
    return [k for k in children(c) if k.kind not in _REFERENCE_KINDS]
