"""The table of the descent: whole, without double entries, and the only way from a construct to what stands in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from clang.cindex import CursorKind

from lifter.frontend import Function, FunctionError, parse_file
from lifter.frontend.lowering import functions, table
from lifter.frontend.state import descent

K = CursorKind
TEXT = Path(table.__file__).read_text()


def _imported(text):
    """What an import of the table's module does, with another text."""
    exec(compile(text, table.__file__, "exec"), {"__name__": "changed"})


def test_kinds_are_those_of_libclang():
    kinds = CursorKind.get_all_kinds()
    assert {k for k in kinds if k.is_expression()} == descent.EXPRESSIONS
    assert {k for k in kinds if k.is_statement()} == descent.STATEMENTS


def test_the_table_as_it_is_can_be_imported():
    _imported(TEXT)


@pytest.mark.parametrize(
    "row, missing",
    [
        ("(switches.switch, [K.SWITCH_STMT]),", "the statement of SWITCH_STMT"),
        ("(calls.call, [K.CALL_EXPR]),", "the value of CALL_EXPR"),
        ('(expressions.refused("typeid"), [K.CXX_TYPEID_EXPR]),', "the value of CXX_TYPEID_EXPR"),
        ("(statements.expression, descent.EXPRESSIONS),", "the statement of .*BINARY_OPERATOR.*UNEXPOSED_EXPR"),
    ],
)
def test_a_missing_entry_is_an_error_at_import(row, missing):
    assert TEXT.count(row) == 1
    with pytest.raises(descent.TableError, match=missing):
        _imported(TEXT.replace(row, ""))


@pytest.mark.parametrize(
    "row, more, kind",
    [
        ("(calls.call, [K.CALL_EXPR]),", "(expressions.null, [K.CALL_EXPR]),", "CALL_EXPR"),
        ("(places.unary, [K.UNARY_OPERATOR]),", "(places.binary, [K.UNARY_OPERATOR]),", "UNARY_OPERATOR"),
        ("(effects.throw, [K.CXX_THROW_EXPR]),", "(effects.throw, [K.CXX_THROW_EXPR]),", "CXX_THROW_EXPR"),
        ("(loops.do, [K.DO_STMT]),", "(loops.while_, [K.DO_STMT]),", "DO_STMT"),
    ],
)
def test_a_double_entry_is_an_error_at_import(row, more, kind):
    assert TEXT.count(row) == 1
    with pytest.raises(descent.TableError, match=f"{kind} stands in two rows, of \\w+ and of \\w+"):
        _imported(TEXT.replace(row, f"{row} {more}"))


NESTED = Path(__file__).with_name("nested.cpp")
VALUES = [
    *(K.LAMBDA_EXPR, K.CXX_NEW_EXPR, K.CALL_EXPR, K.CONDITIONAL_OPERATOR, K.UNARY_OPERATOR, K.BINARY_OPERATOR),
    *(K.CSTYLE_CAST_EXPR, K.ARRAY_SUBSCRIPT_EXPR, K.MEMBER_REF_EXPR, K.DECL_REF_EXPR, K.INTEGER_LITERAL),
    K.UNEXPOSED_EXPR,
]
EFFECTS = [K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR, K.UNARY_OPERATOR, K.CXX_DELETE_EXPR]
PLACES = [K.ARRAY_SUBSCRIPT_EXPR, K.DECL_REF_EXPR]
STATEMENTS = [
    *(K.COMPOUND_STMT, K.DECL_STMT, K.DO_STMT, K.SWITCH_STMT, K.IF_STMT, K.FOR_STMT, K.WHILE_STMT, K.BREAK_STMT),
    *(K.CONTINUE_STMT, K.RETURN_STMT, K.BINARY_OPERATOR, K.UNARY_OPERATOR, K.CXX_DELETE_EXPR),
]


def _nested():
    (f,) = parse_file(str(NESTED)).functions
    return f


def test_the_nest_is_lowered():
    f = _nested()
    assert isinstance(f, Function), f.reason


@pytest.mark.parametrize(
    "part, kind",
    [(part, k) for part, kinds in (
        ("values", VALUES), ("effects", EFFECTS), ("places", PLACES), ("statements", STATEMENTS),
    ) for k in kinds],
    ids=lambda a: getattr(a, "name", a),
)  # fmt: skip
def test_nothing_goes_round_the_table(part, kind, monkeypatch):
    """Each construct, wherever it stands, is lowered by what the context's table has for it."""

    def refuse(ctx, c, *_):
        ctx.fail("replaced", c)

    changed = replace(table.TABLE, **{part: {**getattr(table.TABLE, part), kind: refuse}})
    monkeypatch.setattr(functions, "TABLE", changed)
    f = _nested()
    if isinstance(f, FunctionError):
        assert f.reason.construct == "replaced"
    else:  # an arm of a conditional, which may be left to the original
        assert any(n.endswith("left to the original: replaced") for n in f.notes)


def test_what_is_not_read_is_told_by_its_name(tmp_path):
    source = tmp_path / "a.cpp"
    text = "int a(int n) { asm(\"nop\"); return n; }\nint b(int n) { try { n++; } catch (...) {} return n; }\n"
    text += "int c(int n) { const char *s = \"x\"; return s[0] + n; }\nint d(int n) { throw n; }\n"
    source.write_text(text)
    found = [f.reason.construct for f in parse_file(str(source)).functions]
    assert found == ["inline assembly", "exception handling (try)", "string literal", "exception (throw)"]
