"""Random pipelines under random schedules for a device, through the emulator, against the reference interpreter.

    python -m tests.gpu.fuzz --count 200 --seed 1 [--default | --auto]

prints what differs, what the emulator stops at, and why schedules were refused.  With `--default`: under the default
schedule for a device, which must not be refused."""

from __future__ import annotations

import argparse
import os
import random
import re
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

import halide_core as hc
from halide_core.autoschedule.device.scheduler import device_schedule
from halide_core.gpu.runtime import device_runtime
from tests.gpu.emulator.device import Emulator
from tests.gpu.emulator.memory import DeviceError
from tests.gpu.fuzz_lanes import lanes_case, lanes_outcome
from tests.gpu.running import TARGET, left
from tests.halide_core.fuzz.case import Case, data, functions, reference, result
from tests.halide_core.fuzz.random_pipeline import Definitions, Update

_TAILS = ["GuardWithIf", "GuardWithIf", "ShiftInwards", "RoundUp"]
_SCHEDULES = 2


class DeviceSchedule:
    """The directives of one random schedule.  `exact`: the result has no room beyond its edges."""

    def __init__(self, rng: random.Random, p: Definitions, exact: bool) -> None:
        self.rng, self.p, self.exact = rng, p, exact
        self.lines: list[str] = []
        last = len(p.stages) - 1
        self.users: dict[int, set[int]] = {k: set() for k in range(last + 1)}
        # Loops of a stage that others may be computed in, for those that run on the device.
        self.blocks: dict[int, list[str]] = {}
        # Stages by lanes of a warp, in which others run by lanes too.
        self.warps: set[int] = set()
        for k in range(last, -1, -1):
            self._stage(k, k == last)

    def say(self, line: str) -> None:
        self.lines.append(line)

    def _stage(self, k: int, last: bool) -> None:
        rng, info = self.rng, self.p.stages[k]
        users = self.users[k]
        if not last and not users:
            return
        if not last and not info.updates and rng.random() < 0.3:
            for j in info.callees:
                self.users[j] |= users
            return
        for j in info.callees:
            self.users[j].add(k)
        (user,) = users if len(users) == 1 else (-1,)
        if user in self.blocks and not self.p.stages[user].updates and rng.random() < 0.7:
            self._inside(k, user)
            return
        if not last:
            self.say(f"{info.name}.compute_root()")
        choice = rng.random()
        if choice < 0.6:
            self._tiled(k, last)
        elif choice < 0.75:
            self._by_lanes(k)
        for u, update in enumerate(info.updates):
            self._update(k, u, update, last)

    def _tiled(self, k: int, last: bool) -> None:
        rng, info = self.rng, self.p.stages[k]
        sizes = [rng.choice([1, 2, 3, 4, 8, 16]) for _ in info.dims]
        tail = "GuardWithIf" if last and self.exact else rng.choice(_TAILS)
        number = 1 if "y" not in info.dims or rng.random() < 0.2 else len(info.dims)
        if number == 3 and rng.random() < 0.5:
            number = 2
        dims = info.dims[:number]
        loops = ", ".join(dims)
        inner = ", ".join(f"hl.Var('{d}t')" for d in dims)
        name = info.name
        if rng.random() < 0.2:
            self.say(f"{name}.split(x, x, hl.Var('xv'), {rng.choice([2, 4])}, hl.TailStrategy.GuardWithIf)")
            self.say(f"{name}.{rng.choice(['vectorize', 'unroll', 'serial'])}(hl.Var('xv'))")
        self.say(
            f"{name}.gpu_tile({loops}, {inner}, {', '.join(map(str, sizes[:number]))}, hl.TailStrategy.{tail})"
        )
        if not info.updates:
            self.blocks[k] = [dims[0], f"{rng.choice(dims)}t", dims[0]]

    def _by_lanes(self, k: int) -> None:
        rng, info = self.rng, self.p.stages[k]
        lanes = rng.choice([4, 8, 16, 32])
        self.say(f"{info.name}.split(x, x, hl.Var('xt'), {lanes}, hl.TailStrategy.GuardWithIf)")
        rest = [d for d in info.dims if d != "x"]
        threads = "y" in rest and rng.random() < 0.4
        if threads:
            self.say(f"{info.name}.split(y, y, hl.Var('yt'), {rng.choice([1, 2, 4])}, hl.TailStrategy.GuardWithIf)")
            self.say(f"{info.name}.reorder(hl.Var('xt'), hl.Var('yt'), x, {', '.join(rest)}).gpu_threads(hl.Var('yt'))")
        blocks = "x, y" if "y" in rest and (threads or rng.random() < 0.7) else "x"
        self.say(f"{info.name}.gpu_blocks({blocks}).gpu_lanes(hl.Var('xt'))")
        if not info.updates and lanes < 32:
            self.blocks[k] = ["yt" if threads and rng.random() < 0.5 else "x"]
            self.warps.add(k)

    def _inside(self, k: int, user: int) -> None:
        rng, info = self.rng, self.p.stages[k]
        at = rng.choice(self.blocks[user])
        self.say(f"{info.name}.compute_at({self.p.stages[user].name}, hl.Var('{at}'))")
        if user in self.warps:
            self.say(f"{info.name}.gpu_lanes(x)")
            if rng.random() < 0.5:
                kept = rng.choice(["GPUShared", "Register", "Stack", "Heap"])
                self.say(f"{info.name}.store_in(hl.MemoryType.{kept})")
            for u, update in enumerate(info.updates):
                if "x" in update.pure:
                    self.say(f"{info.name}.update({u}).gpu_lanes(x)")
            return
        if not at.endswith("t"):
            threads = rng.choice([["x"], ["x", "y"], ["x", "y"], ["y"], []])
            if rng.random() < 0.2 and "x" in threads:
                self.say(f"{info.name}.split(x, x, hl.Var('xu'), 2, hl.TailStrategy.GuardWithIf)")
            threads = [t for t in threads if t in info.dims]
            if threads:
                self.say(f"{info.name}.gpu_threads({', '.join(threads)})")
            for u, update in enumerate(info.updates):
                pure = [d for d in ("x", "y") if d in update.pure]
                if pure and rng.random() < 0.7:
                    if update.domain and "x" in pure:
                        order = ["x", *[n for n, _ in update.domain]]
                        if rng.random() < 0.5 and not update.scan:
                            self.say(f"{info.name}.update({u}).reorder({', '.join(order)})")
                    self.say(f"{info.name}.update({u}).gpu_threads({', '.join(pure)})")
        elif rng.random() < 0.3:
            self.say(f"{info.name}.store_in(hl.MemoryType.{rng.choice(['Stack', 'Register', 'GPUShared'])})")

    def _update(self, k: int, u: int, update: Update, last: bool) -> None:
        rng = self.rng
        stage = f"{self.p.stages[k].name}.update({u})"
        inner = [n for n, _ in update.domain]
        if inner and update.associative and rng.random() < 0.5:
            # Threads that meet in one element.
            pure = [d for d in ("x", "y") if d in update.pure]
            self.say(f"{stage}.atomic()")
            if pure and rng.random() < 0.7:
                self.say(f"{stage}.reorder({', '.join([*inner, *pure])}).gpu_blocks({', '.join(pure)})")
                self.say(f"{stage}.gpu_threads({', '.join(inner[: rng.choice([1, 2])])})")
            elif len(inner) > 1:
                self.say(f"{stage}.gpu_blocks({inner[1]}).gpu_threads({inner[0]})")
            else:
                self.say(f"{stage}.gpu_blocks({inner[0]})")
            return
        if not update.pure or rng.random() < 0.4:
            return
        pure = [d for d in ("x", "y") if d in update.pure]
        tails = ["GuardWithIf"] if last and self.exact else ["GuardWithIf", "RoundUp"]
        inner = ", ".join(f"hl.Var('{d}t')" for d in pure)
        sizes = ", ".join(str(rng.choice([1, 2, 4, 8])) for _ in pure)
        if pure:
            self.say(f"{stage}.gpu_tile({', '.join(pure)}, {inner}, {sizes}, hl.TailStrategy.{rng.choice(tails)})")


def cases(seed: int) -> Iterator[Case]:
    """One random pipeline under several schedules."""
    rng = random.Random(seed)
    source = (rng.randint(1, 24), rng.randint(1, 20), rng.choice(["uint8", "int16", "uint16", "int32"]))
    sizes = (rng.randint(1, 40), rng.randint(1, 17))
    p = Definitions(rng)
    for _ in range(_SCHEDULES):
        exact = rng.random() < 0.5
        lines = DeviceSchedule(rng, p, exact).lines
        yield Case(tuple(p.lines), tuple(lines), source, sizes, "", "end" if exact else "", TARGET, seed)


def with_neighbours(case: Case) -> Case:
    """The pipeline on rows whose lengths are multiples of 16, each thread of what is tiled with four elements beside
    each other: accesses of several at once."""
    lines: list[str] = []
    for line in case.directives:
        tiled = re.match(r"(\w+)(?:\.update\(\d+\))?\.gpu_tile\(x,", line)
        if tiled and "update" not in line:
            own = [x for x in lines if x.startswith(f"{tiled[1]}.") and "'xv'" in x]
            lines = [x for x in lines if x not in own]
            lines.append(f"{tiled[1]}.split(x, x, hl.Var('xv'), 4, hl.TailStrategy.RoundUp)")
            lines.append(f"{tiled[1]}.{'vectorize' if case.seed % 2 else 'unroll'}(hl.Var('xv'))")
        lines.append(line)
    (width, height, kind), (x, y) = case.source, case.sizes
    source = (-(-width // 16) * 16, height, kind)
    return replace(case, directives=tuple(lines), source=source, sizes=(-(-x // 16) * 16, y))


def by_default(seed: int) -> Case:
    """One random pipeline without a schedule."""
    return replace(next(cases(seed)), directives=(), result_end="")


def default_result(case: Case) -> np.ndarray:
    """What a pipeline gives under the default schedule for a device."""
    names = functions(case)
    output = names["output"]
    device_schedule([output._function], {}).apply([output._function])
    names["source"].set(hc.Buffer(data(case)))
    return np.asarray(output.realize(list(case.sizes), hc.Target(case.target)))


def auto_result(case: Case) -> np.ndarray:
    """What a pipeline gives under the schedule that AutoGPU makes for larger images."""
    names = functions(case)
    output = names["output"]
    names["source"].set(hc.Buffer(data(case)))
    output.set_estimates([(0, 16 * n) for n in case.sizes])
    target = hc.Target(case.target)
    hc.Pipeline([output]).apply_autoscheduler(target, hc.AutoschedulerParams("AutoGPU", {}))
    return np.asarray(output.realize(list(case.sizes), target))


def outcome(case: Case, wanted: np.ndarray, run: Callable[[Case], np.ndarray] = result) -> tuple[str, str]:
    """("equal", ""), ("refused", reason), or ("wrong", what)."""
    device = Emulator()
    try:
        with device_runtime(device):
            found = run(case)
    except hc.HalideError as error:
        return "refused", str(error)
    except DeviceError as error:
        return "wrong", str(error)
    except Exception:
        return "wrong", traceback.format_exc()
    if left(device):
        return "wrong", f"{device.left()} allocations are left"
    same = (found == wanted) | ((found != found) & (wanted != wanted))
    if same.all():
        return "equal", "" if device.launches else "nothing ran on the device"
    at = tuple(int(v) for v in np.argwhere(~same)[0])
    return "wrong", f"{found[at]} instead of {wanted[at]} at {at}, {int((~same).sum())} of {same.size} values"


def _lanes(seeds: range) -> None:
    """Stages by lanes that read each other's values."""
    tally: Counter[tuple[str, str]] = Counter()
    for seed in seeds:
        case = lanes_case(seed)
        verdict, why = lanes_outcome(case)
        tally[verdict, why if verdict == "equal" else ""] += 1
        if verdict == "wrong":
            print(f"seed {seed}: {why}\n{case.text()}", flush=True)
    print({" ".join(k).strip(): n for k, n in tally.items()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--default", action="store_true", help="the default schedule in place of random ones")
    parser.add_argument("--auto", action="store_true", help="AutoGPU in place of random ones")
    parser.add_argument("--lanes", action="store_true", help="stages by lanes that read each other's values")
    parser.add_argument("--neighbours", action="store_true", help="threads with several elements beside each other")
    parser.add_argument("--quiet", action="store_true", help="do not print refusals")
    options = parser.parse_args()
    os.environ["HL_JIT_CACHE_DIR"] = ""
    if options.lanes:
        _lanes(range(options.seed, options.seed + options.count))
        return
    one = options.default or options.auto
    run = auto_result if options.auto else default_result if options.default else result
    tally: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.count):
        wanted = None
        for case in [by_default(seed)] if one else cases(seed):
            case = with_neighbours(case) if options.neighbours else case
            wanted = reference(case) if wanted is None else wanted
            verdict, why = outcome(case, wanted, run)
            if one and verdict == "refused":
                verdict = "wrong"
            tally[verdict if verdict != "equal" or not why else "equal on the host"] += 1
            if verdict == "refused":
                reasons[why[:90]] += 1
            if verdict == "wrong":
                print(f"seed {seed}: {why}\n{case.text()}", flush=True)
    print(dict(tally))
    if not options.quiet:
        for reason, n in reasons.most_common(30):
            print(n, reason)


if __name__ == "__main__":
    main()
