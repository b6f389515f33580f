"""A new user's first day with a program of theirs: install, lift it whole, again, link one drop-in, time it.

    python demo/first_day.py build/compile_commands.json [--name NAME] [--timeout 20]

The log goes to docs/figures/first-day.md, or to --out."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
_LINES = 24


class Day:
    """What was done, how long it took, and what was said."""

    def __init__(self, folder: Path, database: Path) -> None:
        self.folder, self.database = folder, database
        self.log: list[str] = []
        self.problems: list[str] = []
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV", "LIFT_"))}
        path = f"{folder / 'venv' / 'bin'}{os.pathsep}{environment['PATH']}"
        self.environment = environment | {"PATH": path, "XDG_CACHE_HOME": str(folder / "cache"), "NO_COLOR": "1"}

    def run(self, what: str, command: list[str], statuses: tuple[int, ...] = (0,), shown: int = _LINES) -> float:
        """Runs a command as the user types it; seconds."""
        start = time.perf_counter()
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", check=False,
        )
        seconds = time.perf_counter() - start
        if done.returncode not in statuses or "Traceback" in done.stdout:
            self.problems.append(f"{what}: status {done.returncode}")
        lines = self._plain(done.stdout).strip().splitlines()
        said = [*(["..."] if len(lines) > shown else []), *lines[-shown:]]
        self.log += [f"## {what}", "", "```console", f"$ {self._plain(shlex.join(command))}", *said, "```", ""]
        self.log += [f"Status {done.returncode}, {seconds:.1f} s.", ""]
        print(f"{what}: status {done.returncode}, {seconds:.1f} s", flush=True)
        return seconds

    def say(self, text: str) -> None:
        """A sentence of the log."""
        self.log += [text, ""]

    def _plain(self, text: str) -> str:
        """Without the folders of this machine."""
        top = os.path.commonpath([self.database.parent, *(Path(e["file"]) for e in _entries(self.database))])
        return text.replace(str(self.folder), "~").replace(top, "PROGRAM").replace(str(ROOT), "lifter")


def _entries(database: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(database.read_text())
    return found


def main() -> None:
    """The exit status is 1 where anything did not go as a user expects."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database", type=Path)
    parser.add_argument("--name", default="")
    parser.add_argument("--timeout", default="20")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "figures" / "first-day.md")
    args = parser.parse_args()
    database = args.database.resolve()
    with tempfile.TemporaryDirectory(prefix="first-day-") as name:
        day = Day(Path(name), database)
        _day(day, args.timeout)
        title = f"# A first day with {args.name or database.parent.parent.name}"
        intro = f"`make first-day` on a program of {len(_entries(database))} files, {time.strftime('%Y-%m-%d')}."
        args.out.write_text("\n".join([title, "", intro, "", *day.log]).rstrip() + "\n")
    for problem in day.problems:
        print(f"error: {problem}", file=sys.stderr)
    sys.exit(1 if day.problems else 0)


def _day(day: Day, timeout: str) -> None:
    python, database = sys.executable, str(day.database)
    day.run("A new environment", [python, "-m", "venv", "venv"])
    day.run("Install", ["pip", "install", "-qqq", "--disable-pip-version-check", str(ROOT)])
    batch = ["lift", "batch", database, "--timeout", timeout, "-q"]
    day.run("Lift all of it", batch, (0, 1, 2))
    report = json.loads((day.folder / "lifted" / "report.json").read_text())
    day.say(f"{report['totals']}, {len([f for f in report['files'] if f['status']])} files not read to their end.")
    for r in report["reasons"][:12]:
        day.say(f"- {r['functions']} {r['status']}: {r['reason']}")
    seconds = day.run("The same again", batch, (0, 1, 2), 1)
    statuses = Counter(f["status"] for file in report["files"] for f in file["functions"])
    again = json.loads((day.folder / "lifted" / "report.json").read_text())
    found = Counter(f["status"] for file in again["files"] for f in file["functions"])
    if found != statuses:
        day.problems.append(f"the second run says {dict(found)}, the first {dict(statuses)}")
    day.say(f"{seconds:.1f} s for {len(report['files'])} files that had not changed.")
    best = max(report["files"], key=lambda f: len(_with_images(f)))
    verified = _with_images(best)
    if not verified:
        day.say("Nothing was verified that works on images, so there is no drop-in to link.")
        return
    one = ["lift", best["file"], "-p", database, "--emit", "dsl,shared", "-o", "drop-in", "--timeout", timeout]
    day.run("A drop-in", [*one, "-q", *(a for n in verified for a in ("-f", n))], (0, 1))
    (day.folder / "main.c").write_text("int main(void) { return 0; }\n")
    library = next((day.folder / "drop-in").glob("*.so"))
    flags = ["-Wl,--no-as-needed,--unresolved-symbols=ignore-in-shared-libs", "-Ldrop-in", f"-l:{library.name}"]
    day.run("Link it", ["cc", "main.c", "-o", "main", *flags, f"-Wl,-rpath,{day.folder}/drop-in"])
    day.run("What the program asks for", ["sh", "-c", "readelf -d main | grep -E 'NEEDED|RUNPATH'"])
    bench = ["lift", "bench", best["file"], "-p", database, "--sizes", "64,1024", "--seconds", "0.1"]
    day.run("Time it", [*bench, *(a for n in verified for a in ("-f", n))], (0,), 40)


def _with_images(file: dict[str, Any]) -> list[str]:
    """The verified functions that compute more than single values."""
    verified = [f for f in file["functions"] if f["status"] == "verified"]
    return [f["name"] for f in verified if any(s["roi"] not in ("", "[]") for s in f["stages"])]


if __name__ == "__main__":
    main()
