"""Random pipelines under random legal schedules: the compiled result must equal the unscheduled one and the reference
interpreter's, on buffers that end at an unmapped page.

    python -m tests.halide_core.fuzz_schedules --count 200 --seed 1

prints the seed of every pipeline that differs; `--seed N --count 1` runs that one again."""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import halide_core as hl
from halide_core.interp.pipeline import evaluate_function
from tests.halide_core.guarded import at_end, at_start

TYPES = ["u8", "i8", "u16", "i16", "i32", "u32", "i64", "f32"]
TAILS = [t for t in hl.TailStrategy if t is not hl.TailStrategy.Auto]
EXACT = [hl.TailStrategy.GuardWithIf, hl.TailStrategy.Predicate]


@dataclass(slots=True)
class Pipeline:
    """A random pipeline: its stages in order, what each calls, and the directives given (for the report)."""

    funcs: list[hl.Func] = field(default_factory=list)
    callers: dict[int, list[int]] = field(default_factory=dict)
    directives: list[str] = field(default_factory=list)


X, Y = hl.Var("x"), hl.Var("y")


def operand(rng: random.Random, p: Pipeline, own: int, source: hl.ImageParam, type_: str) -> Any:
    """A read of the source or of an earlier stage at shifted, scaled or mirrored coordinates."""
    dx, dy = rng.randint(-2, 2), rng.randint(-2, 2)
    x, y = rng.choice([(X + dx, Y + dy), (X + dx, Y + dy), (X / 2 + dx, Y), (2 * X + dx, 2 * Y + dy), (dx - X, Y)])
    cast = getattr(hl, type_)
    if own == 0 or rng.random() < 0.25:
        edge = hl.clamp(x, 0, source.width() - 1), hl.clamp(y, 0, source.height() - 1)
        return cast(source[edge])
    k = rng.randrange(max(0, own - 3), own)
    p.callers.setdefault(k, []).append(own)
    return cast(p.funcs[k][x, y])


def expression(rng: random.Random, p: Pipeline, own: int, source: hl.ImageParam, type_: str) -> Any:
    e = operand(rng, p, own, source, type_)
    for _ in range(rng.randint(0, 3)):
        other = operand(rng, p, own, source, type_)
        kind = rng.randrange(6)
        if kind == 0:
            e = hl.min(e, other)
        elif kind == 1:
            e = hl.max(e, other)
        elif kind == 2:
            e = e - other
        elif kind == 3:
            e = hl.select(X % 3 == 1, e, other)
        else:
            e = e + other
    return e


def build(rng: random.Random, source: hl.ImageParam) -> Pipeline:
    p = Pipeline()
    for k in range(rng.randint(2, 7)):
        type_ = rng.choice(TYPES)
        f = hl.Func(f"f{k}")
        f[X, Y] = expression(rng, p, k, source, type_)
        p.funcs.append(f)
        if rng.random() < 0.3:
            r = hl.RDom([(0, rng.randint(1, 4)), (rng.randint(-1, 1), rng.randint(1, 3))])
            cast = getattr(hl, type_)
            if rng.random() < 0.5 and type_ != "f32":
                f[X, Y] = f[X, Y] + cast(r.x) * cast(operand(rng, p, k, source, type_))
            else:
                f[X, Y] = hl.max(f[X, Y] - cast(r.x), operand(rng, p, k, source, type_) + cast(r.y))
    return p


def schedule(rng: random.Random, p: Pipeline) -> None:
    """Random directives, each legal where it is given."""
    last = len(p.funcs) - 1
    loops: dict[int, list[str]] = {}
    for k in reversed(range(len(p.funcs))):
        f = p.funcs[k]
        place = rng.choice(["inline", "root", "at", "at", "slide"])
        users = set(p.callers.get(k, []))
        # Legal where every use is in one stage that is not inlined itself.
        user = next(iter(users)) if len(users) == 1 else None
        if k == last:
            place = "output"
        elif place in ("at", "slide") and (user is None or not loops.get(user)):
            place = "root"
        elif place == "inline" and not f.has_update_definition():
            continue
        if place in ("inline", "root"):
            f.compute_root()
            p.directives.append(f"f{k}.compute_root()")
        elif place in ("at", "slide"):
            assert user is not None
            var = rng.choice(loops[user])
            f.compute_at(p.funcs[user], hl.Var(var))
            p.directives.append(f"f{k}.compute_at(f{user}, {var})")
            given = [d for d in p.directives if d.startswith(f"f{user}.")]
            ordered = not any(word in d for d in given for word in ("parallel", "vectorize", "compute_at"))
            if place == "slide" and ordered and not p.funcs[user].has_update_definition():
                f.store_root()
                p.directives.append(f"f{k}.store_root()")
        loops[k] = _loops(rng, p, k, f)


def _loops(rng: random.Random, p: Pipeline, k: int, f: hl.Func) -> list[str]:
    names = ["x", "y"]

    def said(text: str) -> None:
        p.directives.append(f"f{k}.{text}")

    if rng.random() < 0.6:
        var = rng.choice(names)
        factor, tail = rng.randint(1, 9), rng.choice(TAILS)
        o, i = f"{var}o{k}", f"{var}i{k}"
        f.split(hl.Var(var), hl.Var(o), hl.Var(i), factor, tail)
        said(f"split({var}, {o}, {i}, {factor}, {tail.name})")
        names[names.index(var) : names.index(var) + 1] = [i, o]
        mark = rng.random()
        if mark < 0.4:
            f.vectorize(hl.Var(i))
            said(f"vectorize({i})")
        elif mark < 0.6:
            f.unroll(hl.Var(i))
            said(f"unroll({i})")
    if rng.random() < 0.3:
        order = names[:]
        rng.shuffle(order)
        f.reorder(*[hl.Var(n) for n in order])
        said(f"reorder({', '.join(order)})")
        names = order
    if rng.random() < 0.25:
        f.parallel(hl.Var(names[-1]))
        said(f"parallel({names[-1]})")
    if rng.random() < 0.2:
        f.reorder_storage(Y, X)
        said("reorder_storage(y, x)")
    for u in range(f.num_update_definitions()):
        if rng.random() < 0.6:
            factor = rng.randint(2, 8)
            tail = rng.choice([t for t in TAILS if t is not hl.TailStrategy.ShiftInwards])
            f.update(u).vectorize(X, factor, tail)
            said(f"update({u}).vectorize(x, {factor}, {tail.name})")
        if rng.random() < 0.3:
            f.update(u).parallel(Y)
            said(f"update({u}).parallel(y)")
    # Loops of all stages, since any may use what is computed there.
    return [n for n in names if n == "y"] if f.has_update_definition() else names


def run(seed: int) -> str:
    """What differs in the pipeline of `seed`, or the empty string."""
    rng = random.Random(seed)
    width, height = rng.randint(1, 24), rng.randint(1, 20)
    sizes = [rng.randint(1, 26), rng.randint(1, 17)]
    dtype = rng.choice([np.uint8, np.int16, np.int32])
    data = np.random.default_rng(seed).integers(0, 100, (height, width)).astype(dtype)
    source = hl.ImageParam({1: hl.UInt(8), 2: hl.Int(16), 4: hl.Int(32)}[data.itemsize], 2, "source")
    source.set(hl.Buffer((at_end if rng.random() < 0.5 else at_start)(data)))
    p = build(rng, source)
    output = p.funcs[-1]
    (wanted,) = evaluate_function(
        output._function, tuple((0, n) for n in sizes), {"source": (data.T, (0, 0))}
    )
    schedule(rng, p)
    found = np.asarray(output.realize(sizes))
    # NaNs do not arise: every float is a small integer.
    same = found == wanted.T
    if same.all():
        return ""
    at = tuple(int(v) for v in np.argwhere(~same)[0])
    return f"seed {seed}, {sizes}: {found[at]} instead of {wanted.T[at]} at {at}: " + "; ".join(p.directives)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    failed = 0
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        try:
            difference = run(seed)
        except hl.HalideError as error:
            difference = f"seed {seed}: refused: {error}"
        if difference:
            failed += 1
            print(difference, flush=True)
    print(f"{arguments.count} pipelines, {failed} differ")
    raise SystemExit(failed > 0)


if __name__ == "__main__":
    main()
