"""Who asks questions about the tree that may have to be refused."""

from __future__ import annotations

from typing import NoReturn, Protocol

from clang.cindex import Cursor

from lifter.frontend.clang.unit import Unit


class Asker(Protocol):
    """What a question needs of who asks it: the file that the tree is of, and how a construct is refused.

    (The `Context` of a function's lowering is one; this package knows nothing of that.)"""

    unit: Unit

    def fail(self, construct: str, at: Cursor | None = None, advice: str = "") -> NoReturn:
        """Raises Unsupported for the construct at a cursor."""
