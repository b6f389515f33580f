"""Calls at the edges: numbers that only just fit, nothing to compute, memory that ends.  What is verified must do there
what the original does, which runs, or leave the call to it."""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from codegen.original import compile_original
from lifter.api import lift_file
from lifter.harness.side_by_side import bind
from tests.c_files import names_of

pytestmark = pytest.mark.few(12)

SOURCE = Path(__file__).with_name("edges.cpp")
PAGE = mmap.PAGESIZE
NUMBERS = bytes((k * 37 + k // 11) % 251 % 23 for k in range(2 * PAGE))
MOST, FAR = (1 << 31) - 1, (1 << 64) - 1


class End(int):
    """A pointer to so many bytes, behind which nothing is mapped."""


class Memory:
    """Two pages of numbers, and one that may not be touched."""

    def __init__(self) -> None:
        self.block = mmap.mmap(-1, 3 * PAGE)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.block))
        self.fill()
        libc = ctypes.CDLL(None)
        if libc.mprotect(ctypes.c_void_p(self.address + 2 * PAGE), ctypes.c_size_t(PAGE), 0):
            raise OSError("mprotect")

    def fill(self) -> None:
        """What every call starts with."""
        self.block[: 2 * PAGE] = NUMBERS

    def pointer(self, at: int | None) -> int | None:
        if at is None:
            return None
        return self.address + (2 * PAGE - at if isinstance(at, End) else PAGE + at)


Arguments = tuple[int | None, ...]
SAME, OTHER = 17, 18
"""Exit statuses; a function that is called may end its process with others."""


def problems(original: Any, changed: Any, function: Any, calls: Sequence[Arguments]) -> list[str]:
    """What is wrong with calls, each of which is made in both ways; "the original does not run" where it does not."""
    if _outcome(original, changed, function, calls) == SAME:
        return []
    found = []
    for call in calls:
        if _outcome(original, original, function, [call]) != SAME:
            found.append(f"{call}: the original does not run")
        elif (status := _outcome(original, changed, function, [call])) != SAME:
            found.append(f"{call}: {'another result' if status == OTHER else f'status {status}'}")
    return found or ["a call differs after others"]


def _outcome(original: Any, changed: Any, function: Any, calls: Sequence[Arguments]) -> int:
    """The exit status of a process that makes calls in both ways: SAME, OTHER where they differ, or how it ended.  One
    process for all: each is a copy of this one, which costs more than the calls."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    memory = Memory()
    for arguments in calls:
        signal.setitimer(signal.ITIMER_VIRTUAL, 20)  # processor time, however busy the machine is
        values = [memory.pointer(a) if p.pointer else a for p, a in zip(function.params, arguments, strict=True)]
        results = []
        for f in (original, changed):
            memory.fill()
            results.append((f(*values), memory.block[: 2 * PAGE]))
        if results[0] != results[1]:
            os._exit(OTHER)
    os._exit(SAME)


CASES: list[tuple[str, list[Arguments], bool | None]] = [
    # (name, calls, whether it is verified: None where it may be refused)
    ("a_number_made_smaller_in_a_minimum", [(0, 1000, 2**32 - 5), (0, 1000, 50), (0, 1000, 2**31)], True),
    ("a_number_made_smaller_in_a_count", [(0, 2**32 - 1000000), (0, 40)], True),
    ("a_number_made_smaller_in_an_index", [(10, 20, 8, 2**32 - 5), (0, 500, 8, 4)], None),
    ("sizes_of_64_bits_in_a_minimum", [(0, 100, FAR), (0, 100, 3)], True),
    ("the_less_of_two_sizes", [(0, FAR, 5), (0, 5, FAR), (0, 1 << 63, 3), (0, 7, 9)], True),
    ("a_count_that_coordinates_only_just_hold", [(7, MOST), (7, 1000)], True),
    ("a_temporary_that_a_sum_of_nothing_does_not_need", [(0, None, 0), (0, 400, 9)], True),
    ("a_result_that_reads_under_a_condition", [(None, 0), (End(2), 2), (0, 9)], None),
    ("a_result_that_reads_another_array", [(0, 400, None, 2), (0, 400, 800, 9)], None),
    ("a_result_read_before_it_is_stored_over", [(24, 0, 20, 25), (0, 0, 20, 5), (0, 400, 20, 5)], True),
    ("a_count_under_a_condition_on_its_loop", [(0, None, 20, 0), (0, End(5), 20, 5), (0, 1000, 20, 30)], None),
    ("a_sum_under_a_condition_on_its_loop", [(None, 20, 0), (0, 20, 5)], None),
    ("a_count_of_numbers_that_are_small_enough", [(End(40), 0, 60), (0, 1000, 60)], None),
    ("a_table_of_small_numbers", [(400, 0, End(10), 60), (400, 0, 1000, 60)], None),
    ("a_table_for_all_but_one_number", [(400, 0, 1000, 60)], True),
    ("a_sum_read_before_it_goes_on", [(0, 38), (0, 39), (0, 41)], None),
    ("a_sum_read_before_it_goes_on_in_a_scan", [(400, 0, 30)], None),
    ("an_element_read_before_it_goes_on", [(400, 0, 20, 9)], None),
    ("an_element_kept_while_it_goes_on", [(400, 0, 3, 3)], None),
    ("a_sum_seen_halfway", [(400, 0, 30)], None),
    ("a_histogram_copied_halfway", [(1000, 0, 50)], None),
    ("a_sum_of_a_row_seen_halfway", [(400, 0, 20, 9)], None),
    ("a_start_that_is_a_quotient", [(0, -9, 5), (0, 9, 5)], True),
    ("a_start_that_is_a_remainder", [(0, -9, 5), (0, 9, 5)], True),
    ("a_first_number_that_is_a_quotient", [(0, 400, -9, 5), (0, 400, 4, 5)], True),
    ("an_odd_number_below_zero", [(0, -9), (0, 9), (0, -8)], None),
    ("a_start_that_wraps", [(0, 400, 9, 0), (0, 400, 9, 77)], None),
    ("a_start_that_is_a_quotient_of_wide_numbers", [(0, 400, 99990, 9), (0, 400, 9, 9)], None),
    ("a_step_that_is_a_quotient_of_wide_numbers", [(0, 400, 30000, 9), (0, 400, 9, 9)], None),
    ("a_count_of_wide_steps", [(0, 400, 4999990000, 9), (0, 400, 9, 9)], None),
    ("a_start_that_is_shifted_without_a_sign", [(0, 400, 3294967296, 9), (0, 400, 9, 9)], None),
    ("an_element_written_twice_in_one_step", [(0, 0, 24), (0, 400, 24)], None),
    ("a_comparison_that_wraps", [(400, 0, 0), (400, 0, 1), (400, 0, 7)], None),
    ("a_cell_that_the_data_let_be", [(1000, 0, 6), (1000, 0, 40)], True),
    ("a_row_kept_where_the_data_let_it_be", [(0, 1000, 14, 9)], None),
    ("a_row_kept_in_every_other_one", [(0, 1000, 20, 8)], None),
    ("lanes_read_while_they_are_added_to", [(0, 1000, 9, 9)], None),
    ("lanes_with_and_without_a_sign", [(0, 60), (0, 4000)], None),
    ("a_size_that_is_cut_to_a_buffer_s", [(End(40), 40), (End(255), 255), (End(256), 300), (0, 1), (None, 0)], True),
    ("a_parameter_that_is_carried_on", [(0, 1000, 40, 7), (None, None, 0, 7)], True),
    ("an_output_that_may_be_missing", [(0, 400, 1000, 40), (0, None, 1000, 40), (0, 400, 0, 40)], True),
    ("a_parameter_named_as_what_an_output_held", [(0, 400, 40), (0, 400, 0)], True),
    ("a_state_that_goes_on_from_row_to_row",
     [(0, 2000, 9, 7), (None, None, 0, 7), (None, None, 7, 0), (None, None, -3, -4), (0, 2000, 1, 1)], None),
    ("sums_of_nothing_where_there_is_no_place_for_them",
     [(None, None, 0, 3), (None, None, 40, 0), (0, 1000, 40, 3)], True),
    ("a_total_of_nothing_without_a_place_for_it", [(None, None, 0), (0, 1000, 200)], True),
    ("a_total_of_words_of_nothing_without_a_place_for_it", [(None, None, 0), (0, 1000, 200)], True),
    ("running_sums_of_nothing_beside_another_output",
     [(None, 400, 0, 0, 12), (None, 400, None, 0, 12), (End(4), 400, End(1), 1, 3), (0, 400, 1000, 20, 12)], True),
    ("rows_of_four_that_follow_each_other", [(0, 1000, 3, 4), (0, 1000, 3, 9), (0, 1000, 20, 4)], True),
    ("three_rows_that_follow_each_other", [(0, 1000, 7), (0, 1000, 1), (0, 1000, 100)], True),
    ("colours_of_pixels_that_follow_each_other", [(0, 1000, 9, 3), (0, 1000, 9, 4)], True),
]  # fmt: skip


@pytest.fixture(scope="session")
def originals(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return ctypes.CDLL(str(compile_original(SOURCE, (), tmp_path_factory.mktemp("edges") / "original.so")))


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("name", "calls", "verified"), CASES, ids=[c[0] for c in CASES])
def test_edges(
    tmp_path: Path, originals: ctypes.CDLL, name: str, calls: list[Arguments], verified: bool | None
) -> None:
    (report,) = lift_file(str(SOURCE), functions=[name], out=str(tmp_path), emit=("shared",), run=False).functions
    if report.lifted.status != "verified":
        assert not verified, report.lifted.reason
        return
    function = report.lifted.function
    original, changed = bind(originals, function), bind(ctypes.CDLL(report.outputs["shared"]), function)
    assert not problems(original, changed, function, calls)


def test_every_function_is_called() -> None:
    assert names_of(SOURCE) == [name for name, _, _ in CASES]


def test_what_differs_is_told() -> None:
    """Each call by itself, where not all are the same."""

    def adds(more: int) -> Any:
        return lambda address, n: ctypes.memset(address, n + more, 1) and n

    function = SimpleNamespace(params=[SimpleNamespace(pointer=True), SimpleNamespace(pointer=False)])
    calls: list[Arguments] = [(0, 3), (0, 4), (9, 5)]
    assert problems(adds(1), adds(1), function, calls) == []
    wrong = problems(adds(1), lambda address, n: adds(2 if n == 4 else 1)(address, n), function, calls)
    assert wrong == ["(0, 4): another result"]
    ends = problems(lambda address, n: os._exit(n - 4), adds(0), function, [(0, 4), (0, 7)])
    assert ends == ["(0, 4): the original does not run", "(0, 7): the original does not run"]
