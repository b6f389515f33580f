"""The blocks of README.md run, and what it shows is what they print (times aside).

After a change of the output: UPDATE_README=1 python -m pytest tests/test_readme.py"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.few(4)

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
ENVIRONMENT = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def blocks(kind):
    """(text before it, contents) of each block of a kind."""
    text = README.read_text()
    return [(text[: m.start()], m[2]) for m in BLOCK.finditer(text) if m[1] == kind]


def without_times(text):
    """Nor how many calls there was time for."""
    return re.sub(r"run on \d+ calls(, \d+)?", "run on N calls", re.sub(r"\d+\.\d\d s", "T s", text))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that the README names."""
    path = tmp_path_factory.mktemp("readme")
    for before, contents in blocks("cpp"):
        (name,) = re.findall(r"`([\w.]+)`:\s*\Z", before)
        (path / name).write_text(contents)
    return path


def run(command, folder):
    done = subprocess.run(
        command, shell=True, cwd=folder, env=ENVIRONMENT, text=True, check=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return done.stdout.rstrip() + "\n"


def test_commands(folder):
    shown = [contents for _, contents in blocks("console")]
    assert shown
    for contents in shown:
        command, _, wanted = contents.partition("\n")
        got = run(command.removeprefix("$ "), folder)
        if without_times(got) != without_times(wanted) and os.environ.get("UPDATE_README"):
            README.write_text(README.read_text().replace(contents, f"{command}\n{got}"))
            continue
        assert without_times(got) == without_times(wanted), "the README shows another output; UPDATE_README=1 renews it"


def test_python(folder):
    program, document = (contents for _, contents in blocks("python"))
    document += "import numpy as np\na, b, c = (np.full((1080, 1920), v, np.uint8) for v in (9, 7, 5))\n"
    document += "found = document.realize(base=a, middle=b, top=c)['result']\nprint(found[539, 0], found[540, 0])"
    printed = []
    for text in (program, document):
        done = subprocess.run(
            [sys.executable, "-c", text], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=True
        )
        printed.append(done.stdout)
    assert printed[0].startswith("Darken verified select(")
    assert printed[1] == "5 7\n"


def test_make_targets():
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M)
    named = set(re.findall(r"make ([\w-]+)", README.read_text()))
    assert {"demo", "test", "bench"} <= named <= set(targets)


def test_options_exist():
    help_text = "".join(run(f"lift {command}--help", ROOT) for command in ("", "bench ", "batch "))
    for option in set(re.findall(r"(?<![\w-])(--?[a-z][a-z-]*)", README.read_text().split("## The command line")[1])):
        if option not in ("--grammar",):  # listed as missing
            assert option in help_text, option
