"""Running `lift` in this process: exit status, standard output, standard error."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from lifter.cli import main


@dataclass(frozen=True)
class Run:
    status: int
    out: str
    err: str

    @property
    def one_line(self) -> str:
        """The only line of standard error."""
        assert self.out == "", self.out
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        return lines[0]


@pytest.fixture
def lift(capfd, tmp_path, monkeypatch):
    """lift("a.cpp", "--json") -> Run, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*args: str) -> Run:
        with pytest.raises(SystemExit) as stopped:
            main([str(a) for a in args])
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return Run(int(stopped.value.code or 0), out, err)

    return run


@pytest.fixture
def source(tmp_path):
    """source("a.cpp", text) -> "a.cpp", written to the folder that `lift` runs in."""

    def write(name: str, text: str | bytes) -> str:
        (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
        return name

    return write
