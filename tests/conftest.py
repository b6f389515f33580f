"""Every compilation of the tests is checked between its passes."""

from __future__ import annotations

import os

os.environ.setdefault("HL_CHECK_IR", "1")
