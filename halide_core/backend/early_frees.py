"""Heap storage is given back after the last statement that uses it, not where its scope ends: what is computed next
then takes memory that the caches still hold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.structural import nodes, variables


@dataclass(slots=True)
class EarlyFrees:
    """The arrays on the heap that statements in sequence may give back; those of loops and branches around are out of
    reach."""

    # By pointer: the name of its array.
    held: dict[str, str] = field(default_factory=dict)
    # The arrays that what follows the current statement uses, up to the end of the loop or branch it stands in.
    _later: frozenset[str] = frozenset()
    # By identity, with the statement, so that no other one takes its place.
    _known: dict[int, tuple[st.Stmt, frozenset[str]]] = field(default_factory=dict)

    def in_sequence(self, stmts: tuple[st.Stmt, ...]) -> Iterator[st.Stmt]:
        """The statements one by one, with what follows each of them known while it is at hand."""
        after, follows = self._later, [self._later]
        for s in reversed(stmts):
            follows.append(follows[-1] | self._uses(s))
        for k, s in enumerate(stmts):
            self._later = follows[len(stmts) - 1 - k]
            yield s
        self._later = after

    def unused(self) -> list[str]:
        """Pointers of the arrays that nothing uses from here on; they count as given back."""
        found = [p for p, name in self.held.items() if name not in self._later]
        for p in found:
            del self.held[p]
        return found

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Within, statements run more than once or not always, so that nothing of what is held may go."""
        held, later = self.held, self._later
        self.held, self._later = {}, frozenset()
        yield
        self.held, self._later = held, later

    def _uses(self, s: st.Stmt) -> frozenset[str]:
        """The arrays that `s` refers to, those that it allocates included."""
        if id(s) not in self._known:
            found = {s.name} if isinstance(s, st.Store) else set(st.device_arrays(s))
            for e in st.expressions(s):
                # Buffers of external stages may be Variables of the array's name.
                found |= {n.name for n in nodes(e, ir.Load)} | variables(e)
            self._known[id(s)] = s, frozenset(found).union(*(self._uses(x) for x in st.bodies(s)))
        return self._known[id(s)][1]
