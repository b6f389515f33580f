"""What is known of values that address memory: entries of constant tables, and what earlier Funcs compute.

`crop[(taps[m * 6] * a(x) - taps[m * 6 + 1] * b(x) + 64) >> 7]` reads as far as every sixth entry of `taps` lets it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from halide_core.ir.expr import Call, CallType, Expr, Variable
from halide_core.ir.structural import key, transform
from lifter.algebra.polynomial import Poly, to_poly
from lifter.algebra.symbolic_intervals import Interval, Unbounded, interval
from lifter.algebra.table_entries import ends_of
from lifter.ir.inline_pure_calls import inline_all
from lifter.ir.loop_ir import Function
from lifter.ir.summary import FuncSummary, InputSummary
from synth.read_bounds.clamp_by_condition import domain
from synth.region.row_coordinates import Sign

Range = tuple[int, int]


class KnownValues:
    """Ranges of reads, of `inputs` that are constant tables and of `funcs` that are computed once."""

    def __init__(
        self, function: Function, inputs: Mapping[str, InputSummary], funcs: Sequence[FuncSummary], follows: Sign
    ) -> None:
        self.function = function
        self.tables = {i.name: function.tables[a] for a, i in inputs.items() if a in function.tables}
        self.computed: dict[str, Range] = {}
        for f in funcs:
            found = self._computed(f, follows)
            if found is not None:
                self.computed[f.name] = found

    def over(self, e: Expr, env: Mapping[str, Interval]) -> tuple[Expr, dict[str, Interval]]:
        """An integer expression over variables in place of such reads, and what these and those of `env` run over."""
        known, out = dict(env), inline_all(e, self.function.functions)

        def rewrite(n: Expr) -> Expr:
            found = self._range(n) if isinstance(n, Call) else None
            if found is None:
                return n
            name = f"value {key(n)}"
            known[name] = Poly.constant(found[0]), Poly.constant(found[1])
            return Variable(n.type, name)

        return transform(out, rewrite), known

    def _range(self, n: Call) -> Range | None:
        if not n.type.is_int_or_uint() or n.type.is_bool():
            return None
        if n.call_type is CallType.HALIDE:
            return self.computed.get(n.name)
        table = self.tables.get(n.name) if n.call_type is CallType.IMAGE and len(n.args) == 1 else None
        return None if table is None else ends_of(table.values, to_poly(n.args[0]))

    def _computed(self, f: FuncSummary, follows: Sign) -> Range | None:
        if f.undefined or len(f.definitions) != 1 or not f.type.is_int_or_uint() or f.type.is_bool():
            return None
        (d,) = f.definitions
        value, env = self.over(d.value, domain(f, d))
        try:
            low, high = (p.constant_value() for p in interval(to_poly(value), env, follows))
        except Unbounded:
            return None
        if low is None or high is None or not f.type.min() <= low <= high <= f.type.max():
            return None
        return low, high

