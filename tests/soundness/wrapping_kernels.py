"""Random kernels whose arithmetic wraps for some arguments: guards, and the parts of sums."""

from __future__ import annotations

from tests.soundness.expressions import read
from tests.soundness.writer import Kernel, Writer


def wrapping_guards(g: Writer) -> Kernel:
    """Stores and loops under conditions on parameters in unsigned and narrow arithmetic, which wraps for some."""
    t = g.array("a", True, ["uint8_t", "uint16_t"])
    g.array("d", types=[t, t, "uint8_t"])
    g.stride = "stride"
    g.scalar("p", 0, 12)
    g.scalar("q", 0, 12)
    limit = g.rng.randint(0, 12)
    early = g.rng.choice(["", "  if (p > q) return;\n", "  if (p < 4) return;\n", "  if (q - p > 5) return;\n"])
    guard = g.rng.choice([
        f"(unsigned)p - (unsigned)q <= {limit}u", f"(unsigned)p - (unsigned)q > {limit}u",
        f"(uint8_t)(p + {256 - limit}) < {limit}", f"(uint8_t)(p - q) <= {limit}", f"(uint16_t)(q - p) >= {limit}",
        f"(unsigned)p * 1073741824u + (unsigned)q > {limit}u", f"(unsigned)q + 4294967292u < {limit}u",
        f"(uint64_t)p - (uint64_t)q < {limit}u", f"p - q <= {limit}",
    ])  # fmt: skip
    many = g.rng.choice([2, 3])
    values = [g.value([read(f"a[{many + 1} * x + {k}]", t)], 1) for k in range(many + 1)]
    body = " ".join(f"d[{many} * x + {k}] = {v};" for k, v in enumerate(values))
    if g.rng.random() < 0.4:
        other = body if g.rng.random() < 0.5 else body.replace("a[", "a[1 + ")
        inner = f"    if ({guard}) for (int x = 0; x < w; x++) {{ {body} }}\n"
        inner += f"    else for (int x = 0; x < w; x++) {{ {other} }}\n"
    else:
        inner = f"    for (int x = 0; x < w; x++) {{ {body} }}\n    if ({guard}) d[{many} * w] = {limit};\n"
    return g.done(
        f"{early}  if (w <= 0) return;\n  for (int y = 0; y < h; y++) {{\n{inner}"
        f"    a += {g.stride}; d += {g.stride};\n  }}\n"
    )


def blocks(g: Writer) -> Kernel:
    """Sums of parts of a row, of which each may wrap; blocks that are the row, miss some of it, or take some twice."""
    t = g.array("a", True, ["uint8_t", "uint8_t", "int8_t", "uint16_t"])
    g.k.result = g.rng.choice(["uint32_t", "uint64_t", "int64_t"])
    part = g.rng.choice(["uint8_t", "uint16_t", "uint16_t", "int16_t", "uint32_t", "int"])
    size = g.rng.choice([2, 3, 4, 8])
    length = g.rng.choice([size, size, size, size, size + 1, size - 1])
    count = g.rng.choice([f"b * {size} < w", f"b <= w / {size}", f"b < w / {size} + 1", f"b < w / {size}"])
    end = g.rng.choice([
        f"b * {size} + {length} < w ? b * {size} + {length} : w",
        f"w < b * {size} + {length} ? w : b * {size} + {length}",
    ])  # fmt: skip
    start = g.rng.choice(["0", "0", "0", "1"])
    add = g.rng.choice([f"part += {g.value([read('a[c]', t)], 1)};", "part += a[c];", "part += a[c] + a[c + 1];"])
    flush = g.rng.choice(["sum += part;", "sum += part;", "sum += (uint16_t)part;", "sum = sum + part + 1;"])
    return g.done(
        f"  {g.k.result} sum = 0;\n  for (int y = 0; y < h; y++) {{\n    for (int b = 0; {count}; b++) {{\n"
        f"      {part} part = {start};\n      int end = {end};\n"
        f"      for (int c = b * {size}; c < end; c++) {add}\n      {flush}\n    }}\n"
        f"    a += {g.stride};\n  }}\n  return sum;\n"
    )
