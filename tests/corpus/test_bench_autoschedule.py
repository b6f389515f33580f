"""The comparison of autoschedulers goes on where one of them fails, crashes or takes too long."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

from corpus.bench.autoschedule import HAND, OWN, PEERS, Result, measure, progress, table
from corpus.bench.scheduled_process import ScheduledProcess, Scheduling
from corpus.bench.timed_process import NotTimed
from corpus.pipelines.common import named_pipelines

pytestmark = pytest.mark.few(4)

BLUR = named_pipelines(["blur"])[0]
OURS = [Scheduling(HAND, "halide_core"), Scheduling(OWN, "halide_core", OWN)]


def test_a_process_runs_and_its_death_is_told() -> None:
    process = ScheduledProcess(OURS[1], BLUR, BLUR.small[1])
    try:
        ready = process.ready(300)
        assert [r.shape for r in ready.results] == [tuple(reversed(e)) for e in BLUR.shapes(BLUR.small[1])]
        assert process.run(3) > 0
        os.kill(process._process.pid, signal.SIGSEGV)
        with pytest.raises(NotTimed, match="crashed \\(signal 11\\)"):
            process.run(1)
    finally:
        process.close()


def test_what_fails_is_left_out() -> None:
    wanted = [*OURS, Scheduling(PEERS[0], "halide_core", "nobody")]
    result = measure(BLUR, BLUR.small[1], 0.05, wanted, 300)
    assert set(result.ms) == {HAND, OWN} and not result.wrong
    assert result.failed[PEERS[0]].startswith("HalideError: There is no autoscheduler called 'nobody'")
    assert result.over_peers() is None and result.over(HAND) is not None


def test_time_is_limited() -> None:
    process = ScheduledProcess(OURS[1], BLUR, BLUR.small[1])
    try:
        with pytest.raises(NotTimed, match="not ready after 0 s"):
            process.ready(0)
    finally:
        process.close()


def test_the_table() -> None:
    ms = {HAND: 3.0, OWN: 2.0, PEERS[0]: 8.0, PEERS[1]: 4.0}
    one = Result("blur", (64, 48), ms, scheduling_s={OWN: 0.5}, failed={"Li2018": "crashed (signal 11)"})
    two = Result("mat_mul", (8, 8), {HAND: 1.0, OWN: 2.0}, scheduling_s={OWN: 0.25})
    text = table([one, two], ablations=False)
    assert "| blur | 64x48 | 3.00 | 2.00 | 8.00 | 4.00 | - | 1.50 | 2.00 | 0.50 |" in text
    assert f"over the schedules by hand: geometric mean {np.sqrt(0.75):.2f}, minimum 0.50, of 2 pipelines" in text
    assert "over the better of Mullapudi2016 and Adams2019: geometric mean 2.00, minimum 2.00, of 1 pipelines" in text
    assert "- blur: Li2018 failed: crashed (signal 11)" in text
    assert "Li2018: crashed (signal 11)" in progress(one)
    parts = Result("blur", (64, 48), {HAND: 3.0, OWN: 2.0, "no fusion": 5.0})
    assert "no fusion: time over that of all parts: geometric mean 2.50" in table([parts], ablations=True)
