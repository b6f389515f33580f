"""What can be told Reuse2019."""

from __future__ import annotations

from dataclasses import dataclass, fields

from halide_core.errors import HalideError


@dataclass(frozen=True, slots=True)
class Options:
    """Parts of the method, all on by default; each can be switched off by AutoschedulerParams to see what it is worth.

    `fusion`: stages computed in the loops of others.  `separate_store`: stored further out than computed, so that
    windows slide.  `any_size`: tiles of sizes that are no powers of two.  `prefetch`: loads along rows cost no latency.
    `row_blocks`: rows that share what is inlined computed together.  `partial_results`: histograms and sums in strips,
    some for each thread (rfactor).  `finish`: register tiles, transposed blocks and
    unrolled channels."""

    fusion: bool = True
    separate_store: bool = True
    any_size: bool = True
    prefetch: bool = True
    row_blocks: bool = True
    partial_results: bool = True
    finish: bool = True


def options(extra: dict[str, str]) -> Options:
    """The options that `extra` names.  Raises HalideError for values other than 0 and 1."""
    given: dict[str, bool] = {}
    for f in fields(Options):
        if f.name in extra:
            if extra[f.name] not in ("0", "1", "true", "false"):
                raise HalideError(f"autoscheduler: {f.name} is 0 or 1, not {extra[f.name]!r}")
            given[f.name] = extra[f.name] in ("1", "true")
    return Options(**given)
