"""Times that `lift bench --json FILE` has written, for the report of a batch."""

from __future__ import annotations

import json
import os
from collections import defaultdict

from lifter.api import UsageError


class Timings:
    """How many times faster than `-O3` drop-ins are, by file, function and size."""

    def __init__(self, path: str = "") -> None:
        """Of a file, or of none.  Raises UsageError."""
        self._known: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
        if not path:
            return
        try:
            with open(path, encoding="utf-8") as f:
                rows = json.load(f)["results"]
            overloads = set[tuple[str, str]]()
            for r in rows:
                key = os.path.realpath(str(r["file"])), str(r["function"])
                if int(r["size"]) in self._known[key]:
                    overloads.add(key)  # which of them it is of is not known
                self._known[key][int(r["size"])] = float(r["over_o3"])
            for key in overloads:
                del self._known[key]
        except OSError as problem:
            raise UsageError(f"--timings: cannot read '{path}': {problem.strerror}") from None
        except (ValueError, KeyError, TypeError):
            raise UsageError(f"--timings: '{path}' was not written by lift bench --json") from None

    def of(self, path: str, function: str) -> dict[int, float]:
        """By size; empty where a function was not timed."""
        return self._known.get((os.path.realpath(path), function), {})

    def words(self, path: str, function: str) -> str:
        """For people; "" where a function was not timed."""
        known = self.of(path, function)
        return ", ".join(f"{ratio:.2f} times as fast as -O3 at {size}x{size}" for size, ratio in sorted(known.items()))
