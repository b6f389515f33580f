"""Along which loop a stage runs in vectors."""

from __future__ import annotations

from dataclasses import dataclass

from halide_core.autoschedule.analysis.arithmetic import is_read
from halide_core.autoschedule.analysis.description import Description, Node, Stage
from halide_core.autoschedule.analysis.footprints import high_name, low_name
from halide_core.autoschedule.rules.default import lanes_for, sums_bytes
from halide_core.ir.expr import Call, Expr
from halide_core.ir.structural import contains, post_order, variables
from halide_core.passes.races import associative_operation, is_pure_loop, loops_of, self_calls, steps_along
from halide_core.target import Target

# The least extent of a loop that runs in vectors.
_LEAST = 4


@dataclass(frozen=True, slots=True)
class Way:
    """How a stage runs: along which dimension its vectors lie (None: none), of how many lanes (one: point by point);
    `along`: the loop of its reduction that runs in vectors in place of one, if any; `summed`: whether their lanes are
    put together."""

    vector: str | None
    lanes: int
    along: str | None = None
    summed: bool = False

    @property
    def runs_along(self) -> str | None:
        """The loop that runs in vectors, if any."""
        return None if self.lanes == 1 else self.vector or self.along


def way_of(description: Description, target: Target, node: Node, stage: Stage) -> Way:
    """Along the first dimension of rows, or the one after it, that a stage may take in any order.  Where its reduction
    goes along rows and that dimension does not, in vectors of the reduction's own points, or point by point."""
    d = stage.definition
    lanes = lanes_for(d, target)
    extents = {n: b[1] - b[0] + 1 for n, b in zip(node.function.args, node.region, strict=True)}
    vector: str | None = None
    for name in description.axes(node):
        usable = name in stage.pure and (not stage.index or is_pure_loop(node.function, d, name))
        if usable and extents[name] >= _LEAST:
            vector = name
            break
    along = _reduction_of_rows(description, node, stage, vector)
    if along is not None and _length(description, node, stage, along) >= 2 * lanes:
        if _fills_rows(description, node, stage, along):
            return Way(None, lanes, along)
        if stage.moves:
            return Way(None, 1)
        if _may_be_summed(node, stage):
            return Way(None, target.vector_bytes if sums_bytes(node.function, d) else lanes, along, True)
        # A sum that keeps its order waits for each addition: several side by side, though apart, wait less.
    return Way(None, 1) if vector is None else Way(vector, min(lanes, _power(int(extents[vector]))))


def _length(description: Description, node: Node, stage: Stage, loop: str) -> float:
    values = description.loop_values(stage, node.region)
    return float(values[high_name(loop)] - values[low_name(loop)] + 1)


def _fills_rows(description: Description, node: Node, stage: Stage, along: str) -> bool:
    """Whether neighbouring steps of the innermost loop store neighbouring elements, and none reads what another of the
    same row stores."""
    d = stage.definition
    if d.schedule.dims[0].var != along or not is_pure_loop(node.function, d, along, in_order=True):
        return False
    return steps_along(d.args[description.layouts[node.name].axes[0]], along, loops_of(node.function, d)) == 1


def _reduction_of_rows(description: Description, node: Node, stage: Stage, vector: str | None) -> str | None:
    """The loop of a reduction along whose steps all that is read lies in memory, where none of it does along `vector`:
    sums of rows, scans along rows, a histogram of each row."""
    d = stage.definition
    if not stage.reduction:
        return None
    mine = {id(n) for n in self_calls(node.function, d)}
    reads = [n for v in d.values for n in post_order(v) if is_read(n) and id(n) not in mine]
    reads += [n for a in d.args for n in post_order(a) if is_read(n) and id(n) not in mine]
    # What only says where another read is does not move along its steps.
    inside = {id(m) for n in reads for a in n.args for m in post_order(a) if is_read(m)}
    reads = [n for n in reads if id(n) not in inside]
    places: list[Expr] = [n.args[description.layouts[n.name].axes[0]] for n in reads if n.args]
    if stage.moves:
        # What each step writes is no register.
        places.append(d.args[description.layouts[node.name].axes[0]])
    # What data choose lies anywhere.
    along = {n for p in places if not contains(p, Call) for n in variables(p)}
    found = [n for n in stage.reduction if n in along]
    return found[0] if len(found) == 1 and vector not in along else None


def _may_be_summed(node: Node, stage: Stage) -> bool:
    """Whether an update puts together integers, in any order."""
    d = stage.definition
    return d.domain is not None and not d.domain.predicates and associative_operation(node.function, d) is not None


def _power(n: int) -> int:
    """The greatest power of two up to `n`."""
    return 1 << max(n, 1).bit_length() - 1
