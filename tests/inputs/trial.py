"""One wrong input given to `lift`, and what may not come of it."""

from __future__ import annotations

import os
import re
import signal
import sys
import tempfile
import time
from pathlib import Path

from lifter.cli import main
from lifter.support.files import UNFINISHED
from lifter.support.limited import kill_tree
from tests.inputs.mutate import Input, inputs, write

TIMEOUT = 4.0
"""Seconds for a function."""
LIMIT = 120.0
"""Seconds for the whole."""
_TRACE = re.compile(r"Traceback|^\s+File \"|Exception ignored|Fatal Python error|RecursionError", re.MULTILINE)
_DEFECT = re.compile(r"internal error[^\n]*")


def trial(seed: int) -> list[str]:
    """What is wrong with the answer to the input of a number."""
    found = inputs(seed)
    with tempfile.TemporaryDirectory(prefix="inputs-") as name:
        folder = Path(name)
        write(found, folder)
        status, said = _run(found, folder)
        left = [p.name for p in folder.rglob(f"{UNFINISHED}*")]
        empty = [p.name for p in folder.rglob("lifted/**/*") if p.is_file() and p.stat().st_size == 0]
    problems = [f"left behind: {n}" for n in left] + [f"empty output: {n}" for n in empty]
    if status not in (0, 1, 2):
        problems.append(f"status {status}" if status is not None else f"no end within {LIMIT:g} s")
    problems += [f"traceback: {said[m.start() : m.start() + 300]}" for m in _TRACE.finditer(said)][:1]
    problems += [m[0][:300] for m in _DEFECT.finditer(said)][:1]
    if status == 2 and "error" not in said and not re.search(r": (unreadable|crashed|timeout)", said):
        problems.append("status 2 without an error")
    return [f"{seed} ({found.what}): {p}" for p in problems]


def _run(found: Input, folder: Path) -> tuple[int | None, str]:
    """Status, and what it said: as a process of its own, which has loaded `lift` already."""
    said = folder / "said.txt"
    start = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        status = 99
        try:
            os.setsid()
            os.chdir(folder)
            out = os.open(said, os.O_WRONLY | os.O_CREAT)
            os.dup2(out, 1)
            os.dup2(out, 2)
            sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")  # whatever a test has put in their places
            os.environ["LIFT_CACHE_DIR"] = ""
            main([*found.arguments, "--timeout", str(TIMEOUT)])
        except SystemExit as end:
            status = int(end.code or 0)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    while True:
        done, code = os.waitpid(pid, os.WNOHANG)
        if done:
            break
        if time.perf_counter() - start > LIMIT:
            kill_tree(pid)
            os.waitpid(pid, 0)
            return None, said.read_text(errors="replace")
        time.sleep(0.01)
    status = os.waitstatus_to_exitcode(code)
    if status < 0:
        status = 1000 - signal.Signals(-status)
    return status, said.read_text(errors="replace") if said.exists() else ""
