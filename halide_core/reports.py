"""What compiled code in this process tells Python: text to print, and errors."""

from __future__ import annotations

import ctypes
import sys

from halide_core.backend.llvm_module import JitModule
from halide_core.errors import HalideError
from halide_core.runtime.errors import ERROR_ADDRESS, PRINT_ADDRESS

_Text = ctypes.CFUNCTYPE(None, ctypes.c_char_p)
_ERRORS: list[str] = []


def _on_print(text: bytes) -> None:
    sys.stdout.write(text.decode(errors="replace"))


def _on_error(text: bytes) -> None:
    _ERRORS.append(text.decode(errors="replace"))


# Kept for ever: compiled code holds their addresses.
_PRINT, _ERROR = _Text(_on_print), _Text(_on_error)


def connect(module: JitModule) -> None:
    """Makes the code of `module`, compiled with PYTHON_REPORTS, report here."""
    for name, function in ((PRINT_ADDRESS, _PRINT), (ERROR_ADDRESS, _ERROR)):
        ctypes.c_void_p.from_address(module.variable(name)).value = ctypes.cast(function, ctypes.c_void_p).value


def raise_reported() -> None:
    """Raises HalideError with the first error reported since the last call."""
    if _ERRORS:
        first = _ERRORS[0]
        _ERRORS.clear()
        raise HalideError(first)
