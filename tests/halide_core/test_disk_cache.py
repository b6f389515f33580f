"""The cache on disk: what a later process finds, what makes another entry, and folders that cannot be used."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import halide_core as hl
from halide_core import disk_cache, plain
from halide_core.jit_memory import custom_allocator
from tests.halide_core.guarded import GuardedHeap

pytestmark = pytest.mark.few(3)

# Prints whether the passes ran, and the result.
SCRIPT = """
import sys
import numpy as np
import halide_core as hl
x, y = hl.Var("x"), hl.Var("y")
p, source = hl.Param(hl.Int(32), "p"), hl.ImageParam(hl.UInt(8), 2, "source")
f, g = hl.Func("f"), hl.Func("g")
f[x, y] = hl.u16(source[x, y]) * {factor}
g[x, y] = hl.select(f[x, y] > 7, f[x, y] + hl.u16(p), 0)
f.compute_root(){schedule}
p.set(3)
source.set(hl.Buffer(np.arange(12, dtype=np.uint8).reshape(3, 4)))
out = np.asarray(g.realize([4, 3]))
print("halide_core.lower" in sys.modules, out.sum())
"""


def run(folder: Path | str, factor: int = 2, schedule: str = "", **environment: str) -> str:
    settings = {**os.environ, "HL_JIT_CACHE_DIR": str(folder), "HL_CHECK_IR": "0", **environment}
    script = SCRIPT.format(factor=factor, schedule=schedule)
    done = subprocess.run([sys.executable, "-c", script], env=settings, capture_output=True, text=True)
    return (done.stdout + done.stderr).strip().splitlines()[-1]


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    assert run(tmp_path) == "True 144"
    assert run(tmp_path) == "False 144"
    # Another definition, another schedule: other entries.
    assert run(tmp_path, factor=3) == "True 216"
    assert run(tmp_path, schedule=".vectorize(x, 4)") == "True 144"
    assert run(tmp_path) == "False 144"
    # Who checks the passes has them run.
    assert run(tmp_path, HL_CHECK_IR="1") == "True 144"


DEEP = """
import sys
import numpy as np
import halide_core as hl
x, s, h = hl.Var("x"), hl.ImageParam(hl.Int(32), 1, "s"), hl.Func("h")
i = x
for k in range(400):
    i = hl.min(i + 1, s.width() + k) / 2
h[x] = s[hl.clamp(i, 0, 7)]
s.set(hl.Buffer(np.arange(8, dtype=np.int32)))
total = np.asarray(h.realize([4])).sum()
print("halide_core.lower" in sys.modules, total)
"""


def test_bounds_of_many_levels(tmp_path: Path) -> None:
    settings = {**os.environ, "HL_JIT_CACHE_DIR": str(tmp_path), "HL_CHECK_IR": "0"}
    for lowered in (True, False):
        done = subprocess.run([sys.executable, "-c", DEEP], env=settings, capture_output=True, text=True)
        assert done.stdout.strip() == f"{lowered} 3", done.stderr


def test_damaged_entries_are_made_again(tmp_path: Path) -> None:
    assert run(tmp_path) == "True 144"
    for path in tmp_path.iterdir():
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.write_bytes(bytes(content))
    assert run(tmp_path) == "True 144"
    assert run(tmp_path) == "False 144"


def test_without_a_cache(tmp_path: Path) -> None:
    assert run("") == "True 144"
    assert run("") == "True 144"
    (tmp_path / "file").write_text("")
    assert "HL_JIT_CACHE_DIR is" in run(tmp_path / "file" / "below")


def test_old_entries_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HL_JIT_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(disk_cache, "LIMIT_BYTES", 3000)
    for k in range(10):
        disk_cache.store(f"{k}", bytes(1000))
        os.utime(disk_cache._path(f"{k}"), (k, k))  # type: ignore[arg-type]
    assert [disk_cache.load(f"{k}") is not None for k in range(10)] == [False] * 8 + [True] * 2


def test_storage_from_an_allocator_of_ones_own() -> None:
    x, f, g = hl.Var("x"), hl.Func("f"), hl.Func("g")
    f[x] = x
    g[x] = f[x] + f[x + 1]
    f.compute_root()
    heap, sizes = GuardedHeap(), []

    def malloc(size: int) -> int:
        sizes.append(size)
        return heap.malloc(size)

    g.compile_jit()
    with custom_allocator(malloc, heap.free):
        assert np.asarray(g.realize([9000])).tolist() == [2 * k + 1 for k in range(9000)]
    assert sizes == [9001 * 4 + 64] and not heap.damage and not heap._blocks
    assert np.asarray(g.realize([9000]))[5] == 11
    assert len(sizes) == 1


def test_folders_and_entries_that_others_may_write_are_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    assert run(folder) == "True 144"
    assert run(folder) == "False 144"
    for path in folder.iterdir():
        path.chmod(0o666)
    assert run(folder) == "True 144"
    assert run(folder) == "False 144"
    folder.chmod(0o777)
    settings = {**os.environ, "HL_JIT_CACHE_DIR": str(folder), "HL_CHECK_IR": "0"}
    script = SCRIPT.format(factor=2, schedule="")
    done = subprocess.run([sys.executable, "-c", script], env=settings, capture_output=True, text=True)
    assert done.stdout.strip() == "True 144"
    assert done.stderr.count("others may write to") == 1 and f"chmod go-w {folder}" in done.stderr


def test_entries_are_no_links(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    assert run(folder) == "True 144"
    for path in list(folder.iterdir()):
        moved = tmp_path / path.name
        path.rename(moved)
        path.symlink_to(moved)
    assert run(folder) == "True 144"


def test_entries_are_parsed_and_run_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.system, (f"touch {tmp_path / 'ran'}",)

    monkeypatch.setenv("HL_JIT_CACHE_DIR", str(tmp_path))
    disk_cache.store("x", "a record")
    path = disk_cache._path("x")
    assert path is not None and disk_cache.load("x") == "a record"
    for body in (pickle.dumps(Evil()), b'[["Path",{}]]', b'[["Type",{"code":7}]]', b"[]", b"{}"):
        path.write_bytes(hashlib.sha256(body).digest() + body)
        assert disk_cache.load("x") is None
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("record", [None, True, 7, -0.0, float("inf"), b"\0\xff", ("a", [1, {"b": None}]), 1 << 70])
def test_what_is_kept_comes_back(record: object) -> None:
    found = plain.decoded(plain.encoded(record))
    assert repr(found) == repr(record)
