"""Summaries as JSON, with every verification condition as SMT-LIB text."""

from __future__ import annotations

import json
from typing import Any

from codegen.notation import returned_text, stage_texts
from lifter.algebra.polynomial import poly_text
from lifter.ir.loop_ir import Function
from lifter.ir.summary import Layout, PathSummary, Summary
from verifier.contract import index_text_of
from verifier.decide import Verdict
from verifier.smt import Proved, Refuted


def summary_json(summary: Summary, verdicts: list[Verdict], status: str) -> str:
    """The whole summary.  For each condition, `smt2` asserts its negation: `unsat` means that it holds."""
    function = summary.function
    data: dict[str, Any] = {
        "function": function.name,
        "symbol": function.symbol,
        "file": function.file,
        "line": function.line,
        "status": status,
        "paths": [_path(function, p, verdicts[i] if i < len(verdicts) else None) for i, p in enumerate(summary.paths)],
    }
    return json.dumps(data, indent=2) + "\n"


def contract_json(path: PathSummary) -> list[dict[str, Any]]:
    """The contract's items."""
    return [{"kind": i.kind, "text": i.text, "inferred": i.inferred} for i in path.contract]


def _path(function: Function, path: PathSummary, verdict: Verdict | None) -> dict[str, Any]:
    conditions = []
    for d in verdict.decisions if verdict is not None else []:
        answer = "proved" if isinstance(d.answer, Proved) else "refuted" if isinstance(d.answer, Refuted) else "unknown"
        conditions.append(
            {
                "stage": d.condition.stage,
                "name": d.condition.name,
                "text": d.condition.text,
                "answer": answer,
                "by": "normalisation" if d.condition.smt2() is None else "z3",
                "smt2": d.condition.smt2(),
            }
        )
    return {
        "conditions": [index_text_of(c) for c in path.conditions],
        "contract": contract_json(path),
        "stages": [
            {
                "name": s.name,
                "roi": s.roi,
                "terms": s.terms,
                "left": s.left,
                "expression": s.expression,
                "update": s.update,
                "where": s.where or None,
            }
            for s in stage_texts(path)
        ],
        "images": {i.name: _layout(i.layout) for i in path.inputs},
        "funcs": {f.name: _layout(f.layout) for f in path.funcs},
        "returns": str(path.result) if path.result is not None else None,
        **({"returned": said} if (said := returned_text(function, path)) else {}),
        "verification": conditions,
    }


def _layout(layout: Layout) -> dict[str, Any]:
    return {
        "array": layout.array,
        "offset": poly_text(layout.offset),
        "dimensions": [
            {
                "name": d.name,
                "min": poly_text(d.min),
                "extent": poly_text(d.extent),
                "stride": poly_text(d.stride) if d.stride is not None else None,
            }
            for d in layout.dims
        ],
    }
