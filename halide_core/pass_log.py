"""What is checked and shown after every pass.

HL_CHECK_IR=1 holds each statement against the rules of `ir.check`; HL_DEBUG_CODEGEN=1 prints each pass to standard
error with the statement it left, and only by name where it changed nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from halide_core.ir import stmt as st
from halide_core.ir.check import IllegalIR, Level, check
from halide_core.ir.types import Type

CHECK, DEBUG = "HL_CHECK_IR", "HL_DEBUG_CODEGEN"


def _is_on(name: str) -> bool:
    return os.environ.get(name, "0") not in ("", "0")


def is_watched() -> bool:
    """Whether passes are to be checked or printed as they run."""
    return _is_on(CHECK) or _is_on(DEBUG)


class PassLog:
    """Follows one statement through the passes.  `names` has the types of the Variables bound outside of it."""

    def __init__(self, names: Mapping[str, Type]) -> None:
        self.names = names
        self.checks, self.prints = _is_on(CHECK), _is_on(DEBUG)
        self.text = ""

    def after(self, name: str, s: st.Stmt, level: Level, arrays: Mapping[str, tuple[Type, ...]]) -> st.Stmt:
        """`s`, what pass `name` left; raises IllegalIR where `level` does not allow it."""
        if self.prints:
            text = str(s)
            changed = text != self.text
            print(f"After {name}:\n{text}\n" if changed else f"After {name}: unchanged\n", file=sys.stderr)
            self.text = text
        if self.checks:
            try:
                check(s, level, arrays, self.names)
            except IllegalIR as e:
                raise IllegalIR(f"After {name}: {e}") from None
        return s
