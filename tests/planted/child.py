"""Lifts functions, under a fault where one is given, and says what became of them.

    python -m tests.planted.child FOLDER    reads FOLDER/work.json, writes FOLDER/done.pickle"""

from __future__ import annotations

import hashlib
import json
import pickle
import sys
from pathlib import Path

from tests.planted.done import Done
from tests.planted.hook import plant
from tests.planted.mutate import ROOT, Fault


def main() -> None:
    """The whole of it."""
    folder = Path(sys.argv[1])
    work = json.loads((folder / "work.json").read_text())
    if work["fault"] is not None:
        plant(Fault(**work["fault"]))
    from lifter.api import lift_file
    from lifter.harness import second_opinion
    from synth.options import Options

    second_opinion.LEAST = work["least"]
    found: dict[str, Done] = {}
    for number, function in enumerate(work["functions"]):
        file, _, name = function.partition(":")
        out = folder / str(number)
        try:
            report = lift_file(
                str(ROOT / file), functions=[name], out=str(out), emit=("dsl", "shared"),
                options=Options(timeout=work["timeout"]),
            )
        except Exception as problem:  # the fault stops the whole file
            found[function] = Done("error", f"{type(problem).__name__}: {problem}", 0, "", b"", "")
            continue
        for f in report.functions:
            digest = hashlib.sha256(repr(sorted(f.contract)).encode())
            for kind in sorted(f.outputs):
                digest.update(Path(f.outputs[kind]).read_bytes())
            summary = pickle.dumps(f.lifted.summary) if f.lifted is not None and f.status == "verified" else b""
            calls = f.run.calls if f.run is not None else 0
            reason = f.reason or (f.run.reason if f.run is not None else "")
            found[function] = Done(f.status, reason, calls, digest.hexdigest(), summary, f.outputs.get("shared", ""))
    (folder / "done.pickle").write_bytes(pickle.dumps(found))


if __name__ == "__main__":
    main()
