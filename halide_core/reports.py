"""What compiled code in this process tells Python: text to print, and errors."""

from __future__ import annotations

import ctypes
import sys

from halide_core.errors import HalideError
from halide_core.runtime.errors import python_reports

_Text = ctypes.CFUNCTYPE(None, ctypes.c_char_p)
_ERRORS: list[str] = []


def _on_print(text: bytes) -> None:
    sys.stdout.write(text.decode(errors="replace"))


def _on_error(text: bytes) -> None:
    _ERRORS.append(text.decode(errors="replace"))


# Kept for ever: compiled code holds their addresses.
_PRINT, _ERROR = _Text(_on_print), _Text(_on_error)


def reports() -> str:
    """LLVM IR of the functions by which compiled code reports."""
    addresses = [ctypes.cast(f, ctypes.c_void_p).value or 0 for f in (_PRINT, _ERROR)]
    return python_reports(addresses[0], addresses[1])


def raise_reported() -> None:
    """Raises HalideError with the first error reported since the last call."""
    if _ERRORS:
        first = _ERRORS[0]
        _ERRORS.clear()
        raise HalideError(first)
