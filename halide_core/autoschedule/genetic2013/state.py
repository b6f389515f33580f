"""The state of a search, kept in a file so that it can be taken up again."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from halide_core.autoschedule.analysis.description import Description
from halide_core.autoschedule.directives import Directive, FuncName, Loop, Operand, reduction_name
from halide_core.autoschedule.genetic2013.genes import Individual
from halide_core.errors import HalideError
from halide_core.function import Function, TailStrategy


@dataclass(frozen=True, slots=True)
class Member:
    """An individual that was timed, and seconds of a run."""

    individual: Individual
    seconds: float


@dataclass(slots=True)
class State:
    """How far a search has come.

    `population`: fastest first; `history`: seconds of searching, seconds of a run of the best so far, and what found
    it; `counts`: candidates by what became of them; `start`: the fastest schedule of those that it started from."""

    elapsed: float = 0.0
    generation: int = 0
    population: list[Member] = field(default_factory=list)
    history: list[tuple[float, float, str]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    start: Member | None = None

    @property
    def best(self) -> Member:
        return self.population[0]


def fingerprint(description: Description) -> str:
    """What tells pipelines and sizes apart; the same in each process, where reductions have other names."""
    parts: list[str] = []
    for name, node in description.nodes.items():
        parts += [name, *node.function.args, str([(int(a), int(b)) for a, b in node.region])]
        for k, d in enumerate(node.function.definitions()):
            places = {n: f"{k}.{place}" for place, (n, _, _) in enumerate(d.domain.variables)} if d.domain else {}
            text = "\n".join(str(v) for v in (*d.args, *d.values))
            parts += [places.get(word, word) for word in re.split(r"([\w$.]+)", text)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def save(path: Path, state: State, rng: random.Random, pipeline: str) -> None:
    """Writes the state, whole or not at all."""
    version, numbers, gauss = rng.getstate()
    record = {
        "pipeline": pipeline, "elapsed": state.elapsed, "generation": state.generation, "counts": state.counts,
        "history": state.history, "random": [version, list(numbers), gauss],
        "population": [_member(m) for m in state.population],
        "start": _member(state.start) if state.start is not None else None,
    }
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.write_text(json.dumps(record))
    fresh.replace(path)


def load(path: Path, rng: random.Random, pipeline: str, functions: Mapping[str, Function]) -> State | None:
    """The state in a file for the pipeline of `functions`, and `rng` as it was; None where there is no file.

    Raises HalideError for a file that is of another pipeline or of other sizes, or damaged."""
    if not path.exists():
        return None
    try:
        record = json.loads(path.read_text())
        if record["pipeline"] != pipeline:
            raise HalideError(f"Genetic2013: {path} is of another pipeline or of other sizes; name another state_file")
        version, numbers, gauss = record["random"]
        rng.setstate((version, tuple(numbers), gauss))
        population = [Member(_read(m["genes"], functions), m["seconds"]) for m in record["population"]]
        first = record["start"]
        return State(
            record["elapsed"], record["generation"], population, [(a, b, c) for a, b, c in record["history"]],
            record["counts"], Member(_read(first["genes"], functions), first["seconds"]) if first is not None else None,
        )
    except (ValueError, KeyError, TypeError) as problem:
        raise HalideError(f"Genetic2013: {path} is no state of a search ({problem}); name another state_file") from None


def _member(m: Member) -> dict[str, Any]:
    return {"seconds": m.seconds, "genes": _written(m.individual)}


def _written(individual: Individual) -> list[Any]:
    return [
        [func, [[d.stage, d.method, [_operand(a) for a in d.args]] for d in gene]] for func, gene in individual.genes
    ]


def _operand(a: Operand) -> Any:
    match a:
        case Loop():
            return {"loop": a.name, "reduction": a.reduction}
        case FuncName():
            return {"func": a.name}
        case TailStrategy():
            return {"tail": a.name}
    return a


def _read(genes: list[Any], functions: Mapping[str, Function]) -> Individual:
    found = []
    for func, gene in genes:
        directives = []
        for stage, method, args in gene:
            owner = args[0]["func"] if args and isinstance(args[0], dict) and "func" in args[0] else func
            values = tuple(_value(a, functions[owner]) for a in args)
            directives.append(Directive(func, stage, method, values))
        found.append((func, tuple(directives)))
    return Individual(tuple(found))


def _value(a: Any, owner: Function) -> Operand:
    if isinstance(a, int):
        return a
    if "func" in a:
        return FuncName(a["func"])
    if "tail" in a:
        return TailStrategy[a["tail"]]
    place = tuple(a["reduction"]) if a["reduction"] is not None else None
    return Loop((reduction_name(owner, place) if place is not None else None) or a["loop"], place)
