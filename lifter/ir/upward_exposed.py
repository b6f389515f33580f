"""Whether an iteration of a loop reads a variable before it assigns it, an upward-exposed use, and whether all uses of
a variable are in a loop."""

from __future__ import annotations

from collections.abc import Sequence

from halide_core.ir.structural import variables
from lifter.ir import loop_ir as L


def carried_around(loop: L.Loop, name: str) -> bool:
    """Whether an iteration may read what `name` had before it began, which an earlier one may have given it."""
    exposed, _ = _seen((*loop.prelude, *loop.body), name)
    # `continue` comes to the step, and to the condition after it, from anywhere in the body.
    again, _ = _seen(loop.step, name)
    _, assigned = _seen(loop.prelude, name)
    return exposed or again or (not assigned and name in variables(loop.condition))


def confined_to(loop: L.Loop, body: Sequence[L.Stmt], name: str) -> bool:
    """Whether nothing of `body`, which has the loop, mentions a variable outside of it."""
    return _mentions((loop,), name) == _mentions(body, name)


def read_outside(loop: L.Loop, body: Sequence[L.Stmt], name: str) -> bool:
    """Whether anything of `body`, which has the loop, reads a variable outside of it."""
    return _reads(body, name) > _reads((loop,), name)


def _reads(body: Sequence[L.Stmt], name: str) -> int:
    return sum(name in variables(e) for s in L.walk(body) for e in L.expressions(s))


def _mentions(body: Sequence[L.Stmt], name: str) -> int:
    return sum(
        (isinstance(s, L.Assign) and s.name == name) or any(name in variables(e) for e in L.expressions(s))
        for s in L.walk(body)
    )


def _seen(block: Sequence[L.Stmt], name: str) -> tuple[bool, bool]:
    """Whether statements may read `name` before they assign it, and whether all ways to their end assign it."""
    for s in block:
        if any(name in variables(e) for e in L.expressions(s) if not isinstance(s, L.Loop)):
            return True, False
        match s:
            case L.Assign() if s.name == name:
                return False, True
            case L.Continue() | L.Break() | L.Return():
                return False, True  # nothing behind it is reached
            case L.If():
                arms = [_seen(s.then, name), _seen(s.otherwise, name)]
                if any(exposed for exposed, _ in arms):
                    return True, False
                if all(assigned for _, assigned in arms):
                    return False, True
            case L.Loop():
                if carried_around(s, name):
                    return True, False
                # What surely runs, and to its end.
                runs = s.prelude if s.test_first else s.body
                leaves = any(isinstance(x, L.Continue | L.Break) for x in L.walk(runs))
                if not leaves and _seen(runs, name)[1]:
                    return False, True
    return False, False
