"""Every compilation of the tests is checked between its passes, and every path between its rewritings; tests that share
what takes long are run by one worker.

`make quick` leaves out tests that are marked `long`.  Of those marked `few(n)` it takes one in n, by a hash of the
test's name, and of the corpus a dozen functions of each suite.  Of those marked `sampled(n)` all runs take one in n, by
the same hash, but `make test-all`.  docs/testing.md says where a new test belongs."""

from __future__ import annotations

import functools
import gc
import os
import re
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.lifts import LiftedFile, file_of, lifted

os.environ.setdefault("HL_CHECK_IR", "1")
os.environ.setdefault("LIFT_CHECK_PATHS", "1")

if os.environ.get("PROCESSOR_TIME"):
    pytest_plugins = ["tests.processor_time"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the texts of tests/golden anew")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What `sampled` leaves out is not run, what `few` leaves out is long."""
    if not os.environ.get("ALL_TESTS"):
        items[:] = [i for i in items if not _left_out(i)]
    for item in items:
        few = item.get_closest_marker("few")
        if few is not None and zlib.crc32(item.name.encode()) % few.args[0]:
            item.add_marker("long")


def _left_out(item: pytest.Item) -> bool:
    # By the function, where there is one: what is lifted for one test serves the others.
    name = function_of(item) or item.name
    return any(zlib.crc32(name.encode()) % m.args[0] for m in item.iter_markers("sampled"))


def pytest_collection_finish() -> None:
    """Modules and tests stay to the end: the collector of cycles need not look at them each time."""
    gc.collect()
    gc.freeze()


def function_of(item: pytest.Item) -> str:
    """The function of the corpus that a test is about, or the empty string."""
    params = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    return next((getattr(params[p], "name", params[p]) for p in ("name", "entry", "generated") if p in params), "")


class BySharedWork(LoadScopeScheduling):
    """Tests whose ids begin with a source file ("blend/classic.cpp:Average") go to the worker that lifts the file, and
    those of a module with a fixture of its own to the worker that makes it; all others one by one.  Those of which
    there are most together come first."""

    def _split_scope(self, nodeid: str) -> str:
        source = re.search(r"\[([\w/]+\.c(?:pp)?):\w", nodeid)
        if source is not None:
            return source[1]
        module = nodeid.partition("::")[0]
        return module if self._has_fixture(module) else nodeid

    @functools.cache  # noqa: B019  there is one for a run
    def _has_fixture(self, module: str) -> bool:
        return '@pytest.fixture(scope="module"' in (self.config.rootpath / module).read_text()


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> BySharedWork | None:
    return BySharedWork(config, log) if config.getoption("dist") == "loadgroup" else None


@pytest.fixture(scope="session")
def lifted_file(request: pytest.FixtureRequest) -> Callable[[str], LiftedFile]:
    """lifted_file("blend/classic.cpp") -> LiftedFile, with those of its functions that the tests to be run are about.

    The tests compare on more calls than a second opinion makes: one file in five, by its name, has that too."""
    os.environ.setdefault("HL_NUM_THREADS", "2")
    wanted = {function_of(i) for i in request.session.items if "lifted_file" in getattr(i, "fixturenames", ())}

    @functools.cache
    def lift(file: str) -> LiftedFile:
        names = [n for n in wanted if file_of(n) == file]
        return lifted(file, names, run=zlib.crc32(file.encode()) % 5 == 0)

    return lift
