"""The table of the descent (`state/descent.py`): which function lowers which kind of libclang's nodes.

A kind of expressions or statements that is not read stands here too, with what it is called where it is refused."""

from __future__ import annotations

from clang.cindex import CursorKind

from lifter.frontend.clang.queries import CASTS
from lifter.frontend.lowering import (
    assignments,
    calls,
    effects,
    expressions,
    initialisation,
    lambdas,
    loops,
    new_arrays,
    operations,
    places,
    statements,
    subscripts,
    switches,
)
from lifter.frontend.state import descent

K = CursorKind
_EXCEPTIONS = "exception handling"
_ASSEMBLY = "inline assembly"
# What C and C++ do not have, and OpenMP's directives, whose pragmas clang is not asked to read.
_OTHER_LANGUAGES = [
    k for k in descent.EXPRESSIONS | descent.STATEMENTS if k.name.startswith(("OBJC_", "OBJ_", "OMP_"))
]

_VALUES: dict[CursorKind, descent.ValueOf] = descent.by_kind(
    (expressions.constant, [K.INTEGER_LITERAL, K.FLOATING_LITERAL, K.CHARACTER_LITERAL, K.CXX_BOOL_LITERAL_EXPR]),
    (expressions.constant, [K.CXX_UNARY_EXPR]),  # sizeof, alignof
    (expressions.null, [K.CXX_NULL_PTR_LITERAL_EXPR, K.GNU_NULL_EXPR]),
    (expressions.named, [K.DECL_REF_EXPR, K.MEMBER_REF_EXPR]),
    (expressions.this, [K.CXX_THIS_EXPR]),
    (expressions.implicit, [K.UNEXPOSED_EXPR]),
    (expressions.cast, CASTS),
    (expressions.listed, [K.INIT_LIST_EXPR]),
    (expressions.compound_literal, [K.COMPOUND_LITERAL_EXPR]),
    (expressions.statements_with_value, [K.StmtExpr]),
    (expressions.effect_alone, [K.CXX_DELETE_EXPR, K.CXX_THROW_EXPR]),
    (operations.unary, [K.UNARY_OPERATOR]),
    (operations.binary, [K.BINARY_OPERATOR]),
    (operations.conditional, [K.CONDITIONAL_OPERATOR]),
    (assignments.compound, [K.COMPOUND_ASSIGNMENT_OPERATOR]),
    (subscripts.value, [K.ARRAY_SUBSCRIPT_EXPR]),
    (calls.call, [K.CALL_EXPR]),
    (new_arrays.value, [K.CXX_NEW_EXPR]),
    (lambdas.value, [K.LAMBDA_EXPR]),
    (expressions.refused("string literal"), [K.STRING_LITERAL]),
    (expressions.refused("dynamic_cast"), [K.CXX_DYNAMIC_CAST_EXPR]),
    (expressions.refused("typeid"), [K.CXX_TYPEID_EXPR]),
    (expressions.refused("address of a label"), [K.ADDR_LABEL_EXPR]),
    (expressions.refused("complex number"), [K.IMAGINARY_LITERAL]),
    (expressions.refused("parameter pack"), [K.PACK_EXPANSION_EXPR]),
    (expressions.refused_by_kind, [K.GENERIC_SELECTION_EXPR, K.SIZE_OF_PACK_EXPR, K.BLOCK_EXPR]),
    (expressions.refused_by_kind, [K.CONCEPT_SPECIALIZATION_EXPR, K.REQUIRES_EXPR, K.BUILTIN_BIT_CAST_EXPR]),
    (expressions.refused_by_kind, [K.FIXED_POINT_LITERAL, K.CXX_ADDRSPACE_CAST_EXPR]),
    (expressions.refused_by_kind, [k for k in _OTHER_LANGUAGES if k in descent.EXPRESSIONS]),
)

_PLACES: dict[CursorKind, descent.PlaceOf] = descent.by_kind(
    (places.named, [K.DECL_REF_EXPR]),
    (places.member, [K.MEMBER_REF_EXPR]),
    (places.implicit, [K.UNEXPOSED_EXPR]),
    (places.cast, CASTS),
    (places.unary, [K.UNARY_OPERATOR]),
    (places.binary, [K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR]),
    (places.conditional, [K.CONDITIONAL_OPERATOR]),
    (places.call, [K.CALL_EXPR]),
    (subscripts.place, [K.ARRAY_SUBSCRIPT_EXPR]),
)

_EFFECTS: dict[CursorKind, descent.Effect] = descent.by_kind(
    (effects.implicit, [K.UNEXPOSED_EXPR]),
    (effects.cast, [K.CSTYLE_CAST_EXPR]),
    (effects.unary, [K.UNARY_OPERATOR]),
    (effects.binary, [K.BINARY_OPERATOR]),
    (effects.compound, [K.COMPOUND_ASSIGNMENT_OPERATOR]),
    (effects.call, [K.CALL_EXPR]),
    (effects.delete, [K.CXX_DELETE_EXPR]),
    (effects.throw, [K.CXX_THROW_EXPR]),
)

_STATEMENTS: dict[CursorKind, descent.Effect] = descent.by_kind(
    (statements.expression, descent.EXPRESSIONS),
    (statements.block, [K.COMPOUND_STMT]),
    (statements.declarations_of, [K.DECL_STMT]),
    (statements.if_, [K.IF_STMT]),
    (switches.switch, [K.SWITCH_STMT]),
    (loops.for_, [K.FOR_STMT]),
    (loops.for_range, [K.CXX_FOR_RANGE_STMT]),
    (loops.while_, [K.WHILE_STMT]),
    (loops.do, [K.DO_STMT]),
    (statements.return_, [K.RETURN_STMT]),
    (statements.break_, [K.BREAK_STMT]),
    (statements.continue_, [K.CONTINUE_STMT]),
    (statements.goto, [K.GOTO_STMT]),
    (statements.labelled, [K.LABEL_STMT]),
    (statements.unexposed, [K.UNEXPOSED_STMT]),
    (statements.nothing, [K.NULL_STMT]),
    (statements.refused("goto to a computed address"), [K.INDIRECT_GOTO_STMT]),
    (
        statements.refused(_ASSEMBLY, "put it into a function of its own and give a model of that with --model"),
        [K.ASM_STMT, K.MS_ASM_STMT],
    ),
    (statements.refused(f"{_EXCEPTIONS} (try)"), [K.CXX_TRY_STMT]),
    (statements.refused(f"{_EXCEPTIONS} (catch)"), [K.CXX_CATCH_STMT]),
    (statements.refused(f"{_EXCEPTIONS} (__try)"), [K.SEH_TRY_STMT]),
    (statements.refused_by_kind, [K.SEH_EXCEPT_STMT, K.SEH_FINALLY_STMT, K.SEH_LEAVE_STMT]),
    (statements.refused_by_kind, [K.CASE_STMT, K.DEFAULT_STMT]),  # outside of what `switches` reads
    (statements.refused_by_kind, [K.BUILTIN_BIT_CAST_EXPR]),
    (statements.refused_by_kind, [k for k in _OTHER_LANGUAGES if k in descent.STATEMENTS]),
)

TABLE = descent.Table(_VALUES, _PLACES, places.fresh, _EFFECTS, _STATEMENTS, initialisation.default_value)
