"""Structural identity, traversal and rewriting of expressions."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import TypeVar

from halide_core.ir.expr import Expr, FloatImm, Let, Variable, children, with_children

_T = TypeVar("_T")
_INTERNED: dict[tuple[object, ...], int] = {}
# Expr.__eq__ builds an EQ node, so the cache cannot be a weak dictionary of nodes: id plus liveness.
_BY_ID: dict[int, tuple[weakref.ref[Expr], int]] = {}


def _shape(e: Expr) -> tuple[object, ...]:
    attributes: list[object] = []
    for name in (f.name for f in fields(e)):
        if name in e.child_fields:
            child = getattr(e, name)
            attributes.append(len(child) if isinstance(child, tuple) else child is None)
        elif isinstance(e, FloatImm) and name == "value":
            attributes.append(float(e.value).hex() + repr(e.value))
        else:
            attributes.append(getattr(e, name))
    return (type(e).__name__, *attributes)


def key(e: Expr) -> int:
    """A number equal for structurally equal expressions and for no others, within this process."""
    stack = [e]
    while stack:
        node = stack[-1]
        if _lookup(node) is not None:
            stack.pop()
            continue
        inner = [(c, _lookup(c)) for c in children(node)]
        missing = [c for c, number in inner if number is None]
        if missing:
            stack.extend(missing)
            continue
        shape = (_shape(node), tuple(number for _, number in inner))
        _remember(node, _INTERNED.setdefault(shape, len(_INTERNED)))
        stack.pop()
    found = _lookup(e)
    assert found is not None
    return found


def _lookup(e: Expr) -> int | None:
    entry = _BY_ID.get(id(e))
    if entry is None:
        return None
    reference, number = entry
    return number if reference() is e else None


def _remember(e: Expr, number: int) -> None:
    address = id(e)
    _BY_ID[address] = (weakref.ref(e, lambda _r: _BY_ID.pop(address, None)), number)


def same(a: Expr, b: Expr) -> bool:
    """Whether two expressions are structurally equal, types included."""
    return a is b or key(a) == key(b)


def post_order(e: Expr) -> Iterator[Expr]:
    """Every distinct node of the DAG under `e`, children first, without recursion."""
    seen: set[int] = set()
    stack: list[tuple[Expr, bool]] = [(e, False)]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            yield node
            continue
        if id(node) in seen:
            continue
        seen.add(id(node))
        stack.append((node, True))
        stack.extend((c, False) for c in reversed(children(node)))


def transform(e: Expr, rewrite: Callable[[Expr], Expr]) -> Expr:
    """Bottom-up rewriting: `rewrite` sees each distinct node once, with its children already rewritten."""
    done: dict[int, Expr] = {}
    for node in post_order(e):
        done[id(node)] = rewrite(with_children(node, tuple(done[id(c)] for c in children(node))))
    return done[id(e)]


def substitute(e: Expr, values: Mapping[str, Expr]) -> Expr:
    """`e` with free Variables replaced by name; Let-bound names shadow."""
    if not values or variables(e).isdisjoint(values):
        return e
    if any(isinstance(n, Let) for n in post_order(e)):
        return _substitute_with_lets(e, dict(values))
    return transform(e, lambda n: values.get(n.name, n) if isinstance(n, Variable) else n)


def _substitute_with_lets(e: Expr, values: dict[str, Expr]) -> Expr:
    if isinstance(e, Variable):
        return values.get(e.name, e)
    if isinstance(e, Let):
        inner = {k: v for k, v in values.items() if k != e.name}
        return with_children(e, (_substitute_with_lets(e.value, values), _substitute_with_lets(e.body, inner)))
    return with_children(e, tuple(_substitute_with_lets(c, values) for c in children(e)))


# What is known of expressions, by their numbers; emptied when full, so that long processes do not grow without end.
_CACHE_LIMIT = 1 << 18
_VARIABLES: dict[int, frozenset[str]] = {}


def cached(cache: dict[int, _T], e: Expr, compute: Callable[[Expr, list[_T]], _T]) -> _T:
    """compute(e, results of its children), each distinct expression once in the life of `cache`, without recursion.

    `compute` must depend on the structure of its expression alone."""
    number = key(e)
    if number in cache:
        return cache[number]
    if len(cache) > _CACHE_LIMIT:
        cache.clear()
    stack = [e]
    while stack:
        node = stack[-1]
        number = key(node)
        if number in cache:
            stack.pop()
            continue
        inner = children(node)
        missing = [c for c in inner if key(c) not in cache]
        if missing:
            stack.extend(missing)
            continue
        cache[number] = compute(node, [cache[key(c)] for c in inner])
        stack.pop()
    return cache[key(e)]


def variables(e: Expr) -> frozenset[str]:
    """Names of the Variables that occur in `e` (Let-bound ones included)."""
    return cached(_VARIABLES, e, _own_variables)


def _own_variables(e: Expr, inner: list[frozenset[str]]) -> frozenset[str]:
    if isinstance(e, Variable):
        return frozenset((e.name,))
    if not inner:
        return frozenset()
    first = inner[0]
    return first if all(i is first or i <= first for i in inner[1:]) else first.union(*inner[1:])
