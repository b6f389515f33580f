"""The entry point of `lift`, which loads the rest: Ctrl-C is answered from the first moment on."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Runs `lift` on the arguments of the process."""
    try:
        from lifter.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.stderr.flush()
        os._exit(130)  # nothing is left to be done, and what is half loaded may not end well
