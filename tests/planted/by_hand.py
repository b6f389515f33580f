"""Nasty faults, chosen by hand: a piece of a module's text that stands there once, and what it becomes."""

from __future__ import annotations

from tests.planted.mutate import ROOT, Fault

_OPERATIONS, _EXPRESSIONS = "lifter/frontend/state/operators.py", "lifter/frontend/lowering/operations.py"
_SIMD, _INTEGERS = "lifter/simd/meanings.py", "halide_core/backend/llvm_integer.py"
_VARIANTS = "codegen/variants.py"
_FAULTS: tuple[tuple[str, str, str, str], ...] = (
    ("front end", _OPERATIONS, '"<=": ir.LE,', '"<=": ir.LT,'),
    ("front end", _OPERATIONS, '">": ir.GT,', '">": ir.GE,'),
    ("front end", _OPERATIONS, '">=": ir.GE,', '">=": ir.GT,'),
    # Quotients of negative numbers.
    (
        "front end", _OPERATIONS, 'return intrinsic("div_round_to_zero", t, a, b) if t.is_int() else ir.Div(t, a, b)',
        "return ir.Div(t, a, b)",
    ),
    ("front end", _OPERATIONS, "abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)", "a // b"),
    # A conversion to a narrower type and back.
    ("front end", _OPERATIONS, "(to.is_int_or_uint() and to.bits <= middle.bits)", "to.is_int_or_uint()"),
    # NaN: not (a < b) is not a >= b.
    ("front end", _OPERATIONS, " and not e.a.type.is_float():\n        return _OPP", ":\n        return _OPP"),
    # Promotions left out.
    (
        "front end", _EXPRESSIONS, "return op.binary(operator, op.cast(a, type_), op.cast(b, type_))",
        "return op.cast(op.binary(operator, a, op.cast(b, a.type)), type_)",
    ),
    (
        "front end", _EXPRESSIONS, "common = a.type if a.type == b.type else types.usual(a.type, b.type)",
        "common = a.type",
    ),
    ("front end", _EXPRESSIONS, "value(ctx, first if known else second)", "value(ctx, second if known else first)"),
    ("front end", _EXPRESSIONS, 'back=operator == "-"', "back=False"),
    ("SIMD meanings", _SIMD, 'adds_epu16", named("saturating_add")', 'adds_epu16", lambda a, b: a + b'),
    ("SIMD meanings", _SIMD, 'cmpgt_epi64", compared(GT)', 'cmpgt_epi64", compared(GE)'),
    (
        "SIMD meanings", _SIMD, "moves(bits, low, lambda n: [x for i in range(n // 2) for x in (i, n + i)])",
        "moves(bits, low, lambda n: [x for i in range(n // 2) for x in (n + i, i)])",
    ),
    ("SIMD meanings", _SIMD, 'across("madd_epi16", I16', 'across("madd_epi16", U16'),
    (
        "SIMD meanings", _SIMD, 'srli_epi64", shifted("shift_right"), unsigned',
        'srli_epi64", shifted("shift_right"), lambda t: t',
    ),
    ("SIMD meanings", _SIMD, "a.type, a, b, const(16, U16)", "a.type, a, b, const(15, U16)"),
    ("SIMD meanings", _SIMD, '("packus_epi16", I16, U8)', '("packus_epi16", U16, U8)'),
    (
        "SIMD meanings", _SIMD, 'andnot_si{width}", Meaning(lambda a, b: [~x & y',
        'andnot_si{width}", Meaning(lambda a, b: [x & ~y',
    ),
    ("SIMD meanings", _SIMD, 'named("rounding_halving_add")', 'named("halving_add")'),
    ("code generation", _INTEGERS, '"sdiv" if t.is_int() else "udiv"', '"udiv"'),
    (
        "code generation", _INTEGERS, 'sign = binary(b, "ashr", t, x, literal(t.bits - 1, t))',
        'sign = binary(b, "lshr", t, x, literal(t.bits - 1, t))',
    ),
    # The drop-in checks less than the contract.
    ("code generation", _VARIANTS, "E.Or(BOOL, E.LE(BOOL, high1, low2)", "E.Or(BOOL, E.LE(BOOL, low1, low2)"),
    ("code generation", _VARIANTS, "if item.may_coincide:", "if True:"),
)


def by_hand() -> list[Fault]:
    """All of them.  A piece of text that is not there any more, or not once, is a mistake of this list."""
    found = []
    for area, file, old, new in _FAULTS:
        text = (ROOT / file).read_bytes()
        assert text.count(old.encode()) == 1, f"{file}: {old!r} stands there {text.count(old.encode())} times"
        start = text.index(old.encode())
        found.append(Fault(area, file, text[:start].count(b"\n") + 1, start, old, new, "by hand"))
    return found
