"""What can be told AutoGPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from halide_core.errors import HalideError

_FUSIONS = ("none", "overlap", "nested", "forced")
_MODELS = ("time", "paper")


@dataclass(frozen=True, slots=True)
class Options:
    """`fusion`: "none": each Func whole or at its uses; "overlap": Funcs in the shared memory of blocks, too; "nested":
    also by the thread that uses them, where that pays; "forced": wherever nothing is computed twice for it.  `model`:
    "time": the model of time; "paper": the cost of the paper's listing 1.  `register_tiles`: threads of several
    outputs.  `dividing`: tiles divide what they are tiles of, at estimated sizes; this is set where others would read
    more of images than there is.  `copies`: inputs and outputs are copied at each run, and the
    whole pipeline stays on the host where that takes less."""

    fusion: str = "nested"
    model: str = "time"
    register_tiles: bool = True
    dividing: bool = False
    copies: bool = False


def options(extra: Mapping[str, str]) -> Options:
    """The options that `extra` names.  Raises HalideError for values that there are not."""
    fusion, model = extra.get("fusion", "nested"), extra.get("model", "time")
    tiles, copies = extra.get("register_tiles", "1"), extra.get("copies", "0")
    for name, value, known in (("fusion", fusion, _FUSIONS), ("model", model, _MODELS),
                               ("register_tiles", tiles, ("0", "1")), ("copies", copies, ("0", "1"))):
        if value not in known:
            raise HalideError(f"autoscheduler: {name} is one of {', '.join(known)}, not {value!r}")
    return Options(fusion, model, tiles == "1", copies=copies == "1")
