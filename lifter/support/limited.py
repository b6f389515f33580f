"""Work in a process of its own, within limits of time and memory.

What clang or a compiler makes of a hostile file (a crash, all of the memory, no end) then costs that file only.  The
process has a session, a folder for temporary files and a stack of its own; it dies with the process that started it."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import gc
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import psutil

Tell = Callable[[Any], None]
"""What the work calls with each of its results, any plain object."""

_STACK = 120 << 20
"""Bytes, within the gap that Linux leaves below the stack of a process with the usual limit of 8 MiB."""
_DEPTH = 40_000
"""Calls of Python within each other, for which that stack suffices."""
_SECONDS_TO_END = 2.0
"""From its last message to its end."""
_PR_SET_PDEATHSIG = 1


class LimitedProcess:
    """A fork of this process that does `work`, and tells what comes of it.

    The process that starts one must have a single thread."""

    def __init__(self, work: Callable[[Tell], None], memory: int) -> None:
        """`memory`: bytes of address space that it may take beyond what this process has, and so may each of its
        own."""
        self._folder = tempfile.mkdtemp(prefix="lift-")
        context = multiprocessing.get_context("fork")
        self._here, there = context.Pipe(duplex=False)
        self._process = context.Process(target=_run, args=(work, memory, there, self._folder, os.getpid()))
        self._process.start()
        there.close()
        assert self._process.pid is not None
        self.pid = self._process.pid

    def fileno(self) -> int:
        """The file to wait for: something has come, or the process has ended."""
        return self._here.fileno()

    def has_message(self, seconds: float = 0.0) -> bool:
        """Whether something has come, or the process has ended."""
        return self._here.poll(seconds)

    def message(self) -> Any:
        """What the work told next.  Raises EOFError when nothing more comes."""
        try:
            return self._here.recv()
        except OSError:  # it died in the middle of a message
            raise EOFError from None

    def end(self) -> str:
        """Waits for the process, whose messages have ended; "" or how it ended, in words."""
        if not self._ends_within(_SECONDS_TO_END):
            self.stop()
            return ""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)  # what it has left behind
        self._process.join()
        code = self._process.exitcode or 0
        self._clean()
        return words(code) if code else ""

    def _ends_within(self, seconds: float) -> bool:
        """Its number stays its own: it is not waited for to the last."""
        end = time.perf_counter() + seconds
        with contextlib.suppress(ChildProcessError):  # `multiprocessing` has, when it started another one
            while os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                if time.perf_counter() > end:
                    return False
                time.sleep(0.005)
        return True

    def stop(self) -> None:
        """Ends the process and all that it has started."""
        kill_tree(self.pid)
        self._process.join()
        self._clean()

    def _clean(self) -> None:
        self._here.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def words(code: int) -> str:
    """An exit status in words: "SIGSEGV (segmentation fault)", or "status 3"."""
    if code >= 0:
        return f"status {code}"
    with contextlib.suppress(ValueError):
        number = signal.Signals(-code)
        return f"{number.name} ({(signal.strsignal(number) or '?').lower()})"
    return f"signal {-code}"


def kill_tree(pid: int) -> None:
    """Ends a process and its descendants, also those in sessions of their own."""
    try:
        root = psutil.Process(pid)
        root.suspend()  # it starts nothing more meanwhile
        found = [*root.children(recursive=True), root]
    except psutil.NoSuchProcess:
        return
    for process in found:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


def _run(work: Callable[[Tell], None], memory: int, there: Connection, folder: str, parent: int) -> None:
    die_with_parent(parent)
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    gc.freeze()  # collecting what the parent holds would copy it
    faulthandler.disable()  # the one that started it says what happened
    os.environ["TMPDIR"] = folder
    tempfile.tempdir = folder
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    allow_depth()
    most = _address_space() + memory
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    with contextlib.suppress(BrokenPipeError):  # nobody listens any longer
        work(there.send)
    there.close()
    sys.stdout.flush()
    os._exit(0)


def allow_depth() -> None:
    """Lets trees be as deep as people's code is, for as long as this process lives."""
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = _STACK if hard == resource.RLIM_INFINITY else min(_STACK, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _DEPTH))
    os.environ["LIBCLANG_NOTHREADS"] = "1"  # whose own threads have small stacks


def die_with_parent(parent: int) -> None:
    """Has the system end this process when the one that started it ends, however that does."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "prctl"):
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it has ended before
        os._exit(1)


def _address_space() -> int:
    return psutil.Process().memory_info().vms


__all__ = ["LimitedProcess", "Tell", "allow_depth", "die_with_parent", "kill_tree", "words"]
