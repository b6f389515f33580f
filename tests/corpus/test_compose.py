"""Documents of lifted functions, composed and run as one pipeline, beside the originals called one after the other."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest

from codegen.composed_memory import Box, ComposeError
from lifter.cli import main
from lifter.compose import Document, load

pytestmark = pytest.mark.long

SOURCE = Path(__file__).with_name("compose.cpp").read_text()
ROWS, COLS = 30, 44


@pytest.fixture(scope="module")
def parts(tmp_path_factory) -> tuple[str, ctypes.CDLL]:
    folder = tmp_path_factory.mktemp("compose")
    source = folder / "parts.cpp"
    source.write_text(SOURCE)
    library = folder / "parts.so"
    subprocess.run(["g++", "-O1", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    return str(source), ctypes.CDLL(str(library))


def _at(array: np.ndarray, skip: int = 0) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data + skip * array.itemsize)


def _images(count: int) -> list[np.ndarray]:
    return list(np.random.default_rng(count).integers(0, 256, (count, ROWS, COLS), np.uint8))


def test_a_document(parts) -> None:
    """Rows read as one long row, a border that the blur leaves alone, an opacity given when the pipeline runs."""
    source, originals = parts
    document = Document()
    base, top, mask = (document.image(n, "uint8", (ROWS, COLS)) for n in ("base", "top", "mask"))
    opacity = document.parameter("opacity", "int32")
    blend, blur, add = (document.lift(source, n) for n in ("blend", "blur", "add"))
    mixed = blend(dst=base, src=top, mask=mask, rows=ROWS, cols=COLS, pitch=COLS, opacity=opacity)["dst"]
    soft = blur(dst=mixed, src=mixed, rows=ROWS, cols=COLS, pitch=COLS)["dst"]
    document.output("whole", add(dst=soft, src=top, n=ROWS * COLS)["dst"], (ROWS, COLS))
    document.output("inner", soft)
    for value in (0, 77, 255):
        a, b, m = _images(3)
        found = document.realize(base=a, top=b, mask=m, opacity=value)
        x = a.copy()
        originals.blend(_at(x), _at(b), _at(m), ROWS, COLS, COLS, value)
        y = x.copy()
        originals.blur(_at(y), _at(x), ROWS, COLS, COLS)
        assert np.array_equal(found["inner"], y[1:-1, 1:-1])
        originals.add(_at(y), _at(b), ROWS * COLS)
        assert np.array_equal(found["whole"], y)


def test_null_pointers_parts_and_counts(parts) -> None:
    """Another path for a null mask; a blend into a part of the image only; a histogram of what was blended."""
    source, originals = parts
    document = Document()
    base, top = (document.image(n, "uint8", (ROWS, COLS)) for n in ("base", "top"))
    counts = document.image("counts", "int32", (256,))
    blend, halve, count = (document.lift(source, n) for n in ("blend", "halve", "count"))
    mixed = blend(dst=base, src=top, mask=0, rows=10, cols=7, pitch=COLS, opacity=99)["dst"]
    small = halve(dst=None, src=mixed, cols=COLS // 2, rows=ROWS // 2)["dst"]
    document.output("small", small)
    document.output("counts_after", count(counts=counts, src=mixed, n=ROWS * COLS)["counts"])
    a, b = _images(2)
    start = np.arange(256, dtype=np.int32)
    found = document.realize(base=a, top=b, counts=start)
    x, halved, counted = a.copy(), np.zeros((ROWS // 2, COLS // 2), np.uint8), start.copy()
    originals.blend(_at(x), _at(b), None, 10, 7, COLS, 99)
    originals.halve(_at(halved), _at(x), COLS // 2, ROWS // 2)
    originals.count(_at(counted), _at(x), ROWS * COLS)
    assert np.array_equal(found["small"], halved)
    assert np.array_equal(found["counts_after"], counted)


def test_refusals(parts) -> None:
    source, _ = parts
    document = Document()
    image = document.image("image", "uint8", (ROWS, COLS))
    blur, add = document.lift(source, "blur"), document.lift(source, "add")
    words = document.image("words", "uint16", (ROWS, COLS))
    size = document.parameter("size", "int32", 9)
    for call, problem in (
        (lambda: blur(dst=None, src=image, rows=ROWS, cols=COLS), "no value for its parameter 'pitch'"),
        (lambda: blur(dst=None, src=image, rows=ROWS, cols=COLS, pitch=COLS, p=1), "no parameter 'p'"),
        (lambda: blur(dst=None, src=words, rows=ROWS, cols=COLS, pitch=COLS), "elements of uint8, not of uint16"),
        (lambda: blur(dst=None, src=3, rows=ROWS, cols=COLS, pitch=COLS), "is a pointer"),
        (lambda: blur(dst=None, src=image, rows=ROWS + 1, cols=COLS, pitch=COLS), "read outside of what it holds"),
        (lambda: blur(dst=None, src=image, rows=ROWS, cols=COLS, pitch=COLS - 9), "does not meet"),
        (lambda: blur(dst=None, src=image, rows=ROWS, cols=1.5, pitch=COLS), "int32 does not hold"),
        (lambda: add(dst=image, src=image, n=size), "not a number"),
        (lambda: add(dst=None, src=image, n=9), "outside of what it holds"),
        (lambda: document.lift(source, "reversed"), "is not verified"),
        (lambda: document.lift(source, "nothing"), "no function 'nothing'"),
        (lambda: document.output("o", None), "has no values"),
        (Document().pipeline, "no output"),
    ):
        with pytest.raises(ComposeError, match=problem):
            call()
    document.output("o", blur(dst=None, src=image, rows=ROWS, cols=COLS, pitch=COLS)["dst"])
    assert document.pipeline("Reuse2019") is document.pipeline()
    with pytest.raises(ComposeError, match="scheduled by Reuse2019 already"):
        document.pipeline("default")


def test_the_command(parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    source, _ = parts
    text = (
        "from lifter.compose import Document\n"
        "document = Document()\n"
        "image = document.image('image', 'uint8', (30, 44))\n"
        f"blur = document.lift({source!r}, 'blur')\n"
        "document.output('soft', blur(dst=image, src=image, rows=30, cols=44, pitch=44)['dst'], (30, 44))\n"
    )
    script = tmp_path / "doc.py"
    script.write_text(text)
    assert load(str(script)).calls == ["blur"]
    with pytest.raises(SystemExit) as status:
        main(["compose", str(script), "-o", str(tmp_path), "--emit", "object,header,stmt"])
    assert not status.value.code
    assert "soft: 30 x 44" in capsys.readouterr().err
    assert {"doc.o", "doc.h", "doc.stmt"} <= {p.name for p in tmp_path.iterdir()}
    with pytest.raises(SystemExit):
        main(["compose", str(script), "-o", str(tmp_path), "--emit", "schedule", "--autoscheduler", "Reuse2019"])
    assert "compute_root" in (tmp_path / "doc_schedule.py").read_text()
    capsys.readouterr()
    with pytest.raises(SystemExit) as status:
        main(["compose", str(script), "-o", str(tmp_path), "--emit", "schedule"])
    assert status.value.code == 2
    assert "has no text" in capsys.readouterr().err
    script.write_text("x = 1\n")
    with pytest.raises(SystemExit) as status:
        main(["compose", str(script)])
    assert status.value.code == 2
    assert "one Document" in capsys.readouterr().err


def test_boxes() -> None:
    assert Box(0, ((0, 4, 1), (0, 3, 4))).is_dense()
    assert not Box(0, ((0, 4, 1), (0, 3, 5))).is_dense()
    assert Box(0, ((0, 4, 1), (0, 3, 5))).apart()
    assert not Box(0, ((0, 4, 1), (0, 3, 3))).apart()
    assert Box(7, ((-1, 4, 1), (2, 3, 10))).span() == (26, 50)
