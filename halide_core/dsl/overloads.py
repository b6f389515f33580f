"""Functions that take their arguments in several forms, by position or by the names of Halide's bindings."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from halide_core.errors import ArgumentError

_F = TypeVar("_F", bound=Callable[..., Any])


class Form:
    """One way to call a function: its parameters in order; those that may be left out stand last."""

    def __init__(self, text: str) -> None:
        words = [w.strip() for w in text.split(",") if w.strip()]
        self.names = [w.rstrip("?") for w in words]
        self.required = sum(not w.endswith("?") for w in words)

    def arguments(self, args: tuple[Any, ...], named: dict[str, Any]) -> list[Any] | None:
        """What the function is given, by position; None where this form does not fit."""
        rest = self.names[len(args) :]
        if len(args) > len(self.names) or not named.keys() <= set(rest):
            return None
        given = [n for n in rest if n in named]
        last = rest.index(given[-1]) + 1 if given else 0
        out = [*args, *(named[n] for n in rest[:last] if n in named)]
        # What is left out in front of something given would have to be told by its kind.
        between = [n for n in rest[:last] if n not in named]
        missing = between and self.names.index(between[0]) < self.required
        return None if missing or len(out) < min(self.required, len(self.names)) else out

    def __str__(self) -> str:
        return f"({', '.join(n if k < self.required else n + '=' for k, n in enumerate(self.names))})"


def overloaded(*forms: str) -> Callable[[_F], _F]:
    """A function or method of any number of positional arguments that may be named as in `forms`: "x, factor, tail?",
    where `tail` may be left out.  It tells by their number and kind which form they have."""
    known = [Form(f) for f in forms]

    def decorate(f: _F) -> _F:
        own = f.__code__.co_varnames[: f.__code__.co_argcount]
        first = 1 if own[:1] == ("self",) else 0

        @functools.wraps(f)
        def wrapper(*args: Any, **named: Any) -> Any:
            if not named:
                return f(*args)
            for form in known:
                found = form.arguments(args[first:], named)
                if found is not None:
                    return f(*args[:first], *found)
            legal = " or ".join(map(str, known))
            raise ArgumentError(f"{f.__name__}: incompatible function arguments; it takes {legal}")

        wrapper.forms = known  # type: ignore[attr-defined]
        return cast(_F, wrapper)

    return decorate
