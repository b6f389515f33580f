"""Structural identity, traversal and rewriting of expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from halide_core.ir.expr import Expr, Let, Variable, children, with_children
from halide_core.ir.named_calls import has_effect
from halide_core.ir.node_methods import set_key

_T = TypeVar("_T")
_INTERNED: dict[tuple[object, ...], int] = {}


def operator_of(e: Expr) -> tuple[object, ...]:
    """What a node is apart from its operands: its kind, type, names and constants, hashable."""
    return e._shape()


def key(e: Expr) -> int:
    """A number equal for structurally equal expressions and for no others, within this process."""
    known = e._key
    if known is not None:
        return known
    stack = [e]
    while stack:
        node = stack[-1]
        keys = [c._key for c in node._children]
        if None in keys:
            stack += [c for c in node._children if c._key is None]
            continue
        set_key(node, _INTERNED.setdefault((*node._shape(), *keys), len(_INTERNED)))
        stack.pop()
    assert e._key is not None
    return e._key


def same(a: Expr, b: Expr) -> bool:
    """Whether two expressions are structurally equal, types included."""
    return a is b or key(a) == key(b)


def post_order(e: Expr) -> list[Expr]:
    """Every distinct node of the DAG under `e`, children first, without recursion."""
    found: list[Expr] = []
    seen: set[int] = set()
    # None: what stands below it has had its children.
    stack: list[Expr | None] = [e]
    while stack:
        node = stack.pop()
        if node is None:
            done = stack.pop()
            assert done is not None
            found.append(done)
            continue
        number = id(node)
        if number in seen:
            continue
        seen.add(number)
        inner = node._children
        if inner:
            stack += (node, None)
            stack += inner[::-1]
        else:
            found.append(node)
    return found


def transform(e: Expr, rewrite: Callable[[Expr], Expr]) -> Expr:
    """Bottom-up rewriting: `rewrite` sees each distinct node once, with its children already rewritten."""
    done: dict[int, Expr] = {}
    for node in post_order(e):
        inner = node._children
        done[id(node)] = rewrite(with_children(node, tuple([done[id(c)] for c in inner])) if inner else node)
    return done[id(e)]


def replace(e: Expr, value: Callable[[Expr], Expr | None], done: dict[int, Expr] | None = None) -> Expr:
    """Top-down rewriting: `value(node)` stands for `node`; None where its children are to be seen.  No recursion.

    Each distinct expression is seen once; `done`, from the numbers of those seen to what stands for them, may be kept
    from one call to the next."""
    done = {} if done is None else done
    opened: set[int] = set()
    stack = [e]
    while stack:
        node = stack[-1]
        number = key(node)
        if number in done:
            stack.pop()
            continue
        inner = children(node)
        if number not in opened:
            opened.add(number)
            new = value(node)
            if new is not None:
                done[number] = new
                continue
            stack.extend(c for c in inner if key(c) not in done)
            continue
        done[number] = with_children(node, tuple(done[key(c)] for c in inner))
    return done[key(e)]


def rewriting(rewrite: Callable[[Expr], Expr], *kinds: type[Expr]) -> Callable[[Expr], Expr]:
    """`transform` by `rewrite` of many expressions: what is equal in them is seen once, and what holds no node of the
    `kinds`, if any are named, stays as it is.

    Statements that were written out hold the same coordinates over and over, each time as other nodes."""
    done: dict[int, Expr] = {}

    def run(e: Expr) -> Expr:
        stack = [e]
        while stack:
            node = stack[-1]
            number = key(node)
            if number in done:
                stack.pop()
                continue
            if kinds and not contains(node, *kinds):
                done[number] = node
                continue
            inner = children(node)
            missing = [c for c in inner if key(c) not in done]
            if missing:
                stack += missing
                continue
            done[number] = rewrite(with_children(node, tuple(done[key(c)] for c in inner)))
        return done[key(e)]

    return run


def substitution(values: Mapping[str, Expr]) -> Callable[[Expr], Expr]:
    """`substitute` by `values` of many expressions: what is equal in them is seen once."""
    done: dict[int, Expr] = {}

    def value(n: Expr) -> Expr | None:
        if isinstance(n, Variable):
            return values.get(n.name, n)
        return n if variables(n).isdisjoint(values) else None

    def run(e: Expr) -> Expr:
        return substitute(e, values) if contains(e, Let) else replace(e, value, done)

    return run


def substitute(e: Expr, values: Mapping[str, Expr]) -> Expr:
    """`e` with free Variables replaced by name; Let-bound names shadow."""
    if not values or variables(e).isdisjoint(values):
        return e
    if contains(e, Let):
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


# Caches of which the values are expressions, and so keep Params alive.
_OF_EXPRESSIONS: list[dict[int, Any]] = []
_UNKNOWN: Any = object()


def expression_cache() -> dict[int, Any]:
    """A cache that `forget_expressions` empties."""
    _OF_EXPRESSIONS.append({})
    return _OF_EXPRESSIONS[-1]


def forget_expressions() -> None:
    """Lets go of the expressions that are remembered, and of the Params in them."""
    for cache in _OF_EXPRESSIONS:
        cache.clear()


def cached(cache: dict[int, _T], e: Expr, compute: Callable[[Expr, list[_T]], _T]) -> _T:
    """compute(e, results of its children), each distinct expression once in the life of `cache`, without recursion.

    `compute` must depend on the structure of its expression alone."""
    result: _T = cache.get(key(e), _UNKNOWN)
    if result is not _UNKNOWN:
        return result
    if len(cache) > _CACHE_LIMIT:
        cache.clear()
    # All nodes under `e` have a key, since it has.
    stack = [e]
    while stack:
        node = stack[-1]
        number: Any = node._key
        result = cache.get(number, _UNKNOWN)
        if result is _UNKNOWN:
            inner = node._children
            # Looked up once: another thread may empty the cache.
            found = [cache.get(c._key, _UNKNOWN) for c in inner]
            missing = [c for c, x in zip(inner, found, strict=True) if x is _UNKNOWN]
            if missing:
                stack += missing
                continue
            result = cache[number] = compute(node, found)
        stack.pop()
    return result


def remembered(cache: dict[int, _T], e: Expr, compute: Callable[[Expr], _T]) -> _T:
    """compute(e), which must depend on the structure of `e` alone, once in the life of `cache`."""
    number = key(e)
    found = cache.get(number)
    if found is None:
        if len(cache) > _CACHE_LIMIT:
            cache.clear()
        found = cache[number] = compute(e)
    return found


_NODES: dict[type[Expr], dict[int, tuple[Any, ...]]] = {}
_Node = TypeVar("_Node", bound=Expr)


def nodes(e: Expr, kind: type[_Node]) -> tuple[_Node, ...]:
    """The distinct nodes of one kind in `e`, itself included, children first."""

    def own(n: Expr, inner: list[tuple[_Node, ...]]) -> tuple[_Node, ...]:
        found = [f for f in inner if f]
        own = (n,) if isinstance(n, kind) else ()
        if len(found) < 2:
            return found[0] + own if found else own
        return (*{key(x): x for f in found for x in f}.values(), *own)

    if kind not in _NODES:
        _NODES[kind] = expression_cache()
    return cached(_NODES[kind], e, own)


def variables(e: Expr) -> frozenset[str]:
    """Names of the Variables that occur in `e` (Let-bound ones included)."""
    return cached(_VARIABLES, e, _own_variables)


_KINDS: dict[int, frozenset[type]] = {}


def contains(e: Expr, *kinds: type[Expr]) -> bool:
    """Whether any node of `e`, itself included, is of one of these kinds, as `isinstance` has it."""
    return not cached(_KINDS, e, _own_kinds).isdisjoint(kinds)


def _own_kinds(e: Expr, inner: list[frozenset[type]]) -> frozenset[type]:
    # Base classes too: a ParamVariable is a Variable.
    return _joined([frozenset(type(e).__mro__), *inner])


def _own_variables(e: Expr, inner: list[frozenset[str]]) -> frozenset[str]:
    if isinstance(e, Variable):
        return frozenset((e.name,))
    if not inner:
        return frozenset()
    return _joined(inner)


def _joined(sets: list[frozenset[_T]]) -> frozenset[_T]:
    """The union, one of the sets where it has all the others."""
    largest = max(sets, key=len)
    return largest if all(s <= largest for s in sets) else largest.union(*sets)


_EFFECTS: dict[int, bool] = {}


def holds_effect(e: Expr) -> bool:
    """Whether anything in `e` prints or may end the program."""
    return cached(_EFFECTS, e, lambda n, inner: has_effect(n) or any(inner))
