"""Random stages by lanes of a warp that read each other's values, on the emulated device and on the host.

    make fuzz-gpu OPTIONS=--lanes"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

import halide_core as hc
from halide_core.gpu.runtime import device_runtime
from tests.gpu.emulator.device import Emulator
from tests.gpu.running import TARGET, left

_TYPES = ("hl.i32({})", "hl.u8({})", "hl.i16({})", "hl.i64({})", "hl.f32({})", "hl.f64({})", "({}) > 0")
_MEMORY = ("", "", "", ".store_in(hl.MemoryType.Register)", ".store_in(hl.MemoryType.Stack)")


@dataclass(frozen=True)
class Lanes:
    """Statements that define f of the image src (int32, 200 by 40), those of its schedule, and the sizes of f."""

    definition: tuple[str, ...]
    schedule: tuple[str, ...]
    size: tuple[int, int]

    def text(self) -> str:
        """Both, a statement a line."""
        return "\n".join((*self.definition, *self.schedule, f"f.realize({list(self.size)})"))


def lanes_case(seed: int) -> Lanes:
    """A chain of one to three stages by lanes, and f that reads the last."""
    rng = random.Random(seed)
    names = ["a", "b", "c"][: rng.randint(1, 3)]
    width = rng.choice([2, 4, 7, 8, 12, 16, 20, 24, 32])
    define: list[str] = []
    schedule = [_tile(rng, width)]
    before = "src"
    for name in names:
        kind = rng.choice(_TYPES)
        define.append(f"{name}[x, y] = {kind.format(_value(rng, before))}")
        if rng.random() < 0.2 and ">" not in kind:
            define.append(f"{name}[x, y] += {kind.format('src[x, y + r] * (x + 1)')}")
            update = f"{name}.update()" + (".reorder(r, x)" if rng.random() < 0.5 else "")
            schedule.append(f"{update}.gpu_lanes(x)")
        schedule.append(f"{name}.compute_at(f, {'x' if 'gpu_threads' not in schedule[0] else 'yi'})" + _lanes(rng))
        before = name
    define.append(f"f[x, y] = hl.i32({_value(rng, before)})")
    if "vectorize" not in schedule[0] and rng.random() < 0.3:
        define.append("f[x, y] += src[x, y]")
        schedule.insert(1, schedule[0].replace("f.", "f.update().", 1))
    guarded = "RoundUp" not in schedule[0]
    size = (width * rng.randint(1, 3), 4 * rng.randint(1, 2))
    if guarded:
        size = size[0] + rng.randint(0, width - 1), size[1] + rng.randint(0, 3)
    if rng.random() < 0.7:
        schedule.append(f"f.bound(x, 0, {size[0]}).bound(y, 0, {size[1]})")
    return Lanes(tuple(define), tuple(schedule), size)


def _tile(rng: random.Random, width: int) -> str:
    tail = rng.choice(["RoundUp", "RoundUp", "GuardWithIf"])
    out = f"f.tile(x, y, xi, yi, {width}, 4, hl.TailStrategy.{tail})"
    if width % 2 == 0 and tail == "RoundUp" and rng.random() < 0.2:
        out += ".vectorize(xi, 2)"
    out += ".gpu_blocks(x, y)"
    return out + (".gpu_threads(yi)" if rng.random() < 0.8 else "") + ".gpu_lanes(xi)"


def _lanes(rng: random.Random) -> str:
    memory = rng.choice(_MEMORY)
    if rng.random() < 0.5:
        return f".gpu_lanes(x){memory}"
    each = rng.choice([4, 8, 16, 32])
    if rng.random() < 0.3:
        inner = rng.choice([".vectorize(u)", ".unroll(u)"])
        return f".split(x, x, u, 2, hl.TailStrategy.RoundUp){inner}.gpu_lanes(x){memory}"
    unrolled, tail = rng.choice(["", ".unroll(u)"]), rng.choice(["RoundUp", "GuardWithIf"])
    return f".split(x, u, x, {each}, hl.TailStrategy.{tail}).gpu_lanes(x){unrolled}{memory}"


def _value(rng: random.Random, before: str) -> str:
    parts = [f"hl.i32({before}[{_index(rng, before)}, y])" for _ in range(rng.randint(1, 3))]
    out = parts[0]
    for p in parts[1:]:
        both = rng.choice(["{} + {}", "{} - {} * 3", "hl.select(src[x, y] > 0, {}, {})", "hl.max({}, {})"])
        out = both.format(out, p)
    return f"{out} + x * {rng.randint(0, 9)}"


def _index(rng: random.Random, before: str) -> str:
    if before == "src":
        return "x"
    c = rng.randint(0, 5)
    return rng.choice([
        "x", "x", f"x + {c}", f"x + {c}", f"x + y % {c + 1}", f"hl.clamp(src[x, y], {c}, {c + 6})", f"{c}",
        f"x / 2 + {c}", f"x + hl.clamp(src[x + 1, y], 0, {c})", f"x + (src[x, y] & {c})", f"hl.min(x, {c + 4})",
        f"{c} + x % 4", f"hl.clamp(hl.i32({before}[x, y]), 0, {c})",
    ])  # fmt: skip


def _made(case: Lanes, scheduled: bool) -> tuple[hc.Func, hc.ImageParam]:
    scope: dict[str, object] = {"hl": hc}
    scope |= {n: hc.Var(n) for n in ("x", "y", "xi", "yi", "u")}
    scope |= {n: hc.Func(n) for n in "abcf"}
    scope["src"] = src = hc.ImageParam(hc.Int(32), 2, "src")
    scope["r"] = hc.RDom([(0, 3)], "r")
    for line in (*case.definition, *(case.schedule if scheduled else ())):
        exec(line, scope)
    f = scope["f"]
    assert isinstance(f, hc.Func)
    return f, src


def lanes_outcome(case: Lanes) -> tuple[str, str]:
    """("equal", classes of instructions), ("refused", reason), or ("wrong", what)."""
    data = np.random.default_rng(3).integers(-100, 100, (40, 200), np.int32)
    device = Emulator()
    plain, image = _made(case, False)
    image.set(hc.Buffer(data))
    wanted = np.asarray(plain.realize(list(case.size)))
    try:
        f, image = _made(case, True)
        image.set(hc.Buffer(data))
        with device_runtime(device):
            found = np.asarray(f.realize(list(case.size), hc.Target(TARGET)))
    except hc.HalideError as error:
        return "refused", str(error)
    except Exception as error:
        return "wrong", f"{type(error).__name__}: {error}"
    image.reset()
    if left(device):
        return "wrong", "allocations are left"
    if not np.array_equal(found, wanted):
        return "wrong", f"{int((found != wanted).sum())} values differ"
    kinds = {k for launch in device.launches for k in launch.counts.instructions}
    return "equal", "shuffled" if "shuffle" in kinds else "shared" if any("shared" in k for k in kinds) else "own"
