"""A fixed sample of the suites against their manifests: the status, and drop-ins bit for bit (`make corpus`: all)."""

from __future__ import annotations

import pytest

from corpus.manifest import STATUSES, SUITES, ManifestError, entries, sample
from lifter.harness.compare import compare
from lifter.harness.draw_arguments import Drawer
from lifter.harness.side_by_side import bind
from tests.corpus.emitted import halide_equals

pytestmark = pytest.mark.few(3)


def test_manifests() -> None:
    """Every function stands in one place; the sample is the same each time, and has hard ones of each file with any."""
    everything = entries()
    assert {e.suite for e in everything} == set(SUITES)
    assert {e.status for e in everything} <= set(STATUSES)
    assert sample() == sample()
    assert {e.file for e in everything if e.hard} == {e.file for e in sample() if e.hard}
    assert sum(e.hard for e in sample()) >= 25


def test_a_wrong_manifest_is_refused(tmp_path, monkeypatch) -> None:
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / "a.cpp").write_text("")
    monkeypatch.setattr("corpus.manifest.ROOT", tmp_path)
    for line, problem in (
        ('f = { idea = "a" }', "'construct'"),
        ('f = { idea = "a", construct = "b", status = "not_found" }', "a reason"),
        ('f = { idea = "a", construct = "b", status = "done", reason = "c" }', "no status"),
        ('f = { idea = "a", construct = "b", rangs = { n = [0, 1] } }', "unknown keys rangs"),
    ):
        (folder / "manifest.toml").write_text(f'["a.cpp"]\n{line}\n')
        with pytest.raises(ManifestError, match=problem):
            entries(["odd"])


def test_status_and_results(entry, lifted_file):
    file = lifted_file(entry.file)
    report = file.function(entry.name)
    assert report.status == entry.status, report.reason
    if report.status == "verified":
        libraries = file.folder / "original.so", file.library
        done = compare(report.lifted.summary, *libraries, entry.ranges, set_up=entry.set_up)
        assert not done.problems
        assert done.met > 0


def test_emitted_halide(entry, lifted_file):
    """The emitted Python under the package `halide`."""
    if entry.status != "verified":
        return
    file = lifted_file(entry.file)
    report = file.function(entry.name)
    call = report.lifted.function.interface
    if call is not None and any(a.passing == "static" for a in call.arguments):
        return  # its packer, which is compiled apart here, has variables of its own
    drawer = Drawer(report.lifted.summary, entry.ranges)
    original = bind(file.original, report.lifted.function)
    sizes = list(enumerate([(3, 3), (17, 5), (64, 33)]))
    draws = [drawer.draw(w, h, 3, seed + 100 * k) for k in range(3) for seed, (w, h) in sizes]
    met = [d for d in draws if d is not None][:3]
    assert met
    for seed, draw in enumerate(met):
        args = drawer.arguments(draw, seed)
        emitted = file.folder / f"{entry.name}.py"
        assert halide_equals(emitted, report.lifted.function, original, args)
