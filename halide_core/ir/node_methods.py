"""What is the same for all kinds of expression nodes and must be fast, written out for each kind as dataclasses are.

    class Add: type, a, b        __init__(self, type, a, b), children (a, b), rebuilt as kind(type, new[0], new[1])"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from typing import Any

_SINGLE, _MANY, _OPTIONAL = "Expr", "tuple[Expr, ...]", "Expr | None"


class Remembered:
    """What is found out about a node once: no field, and not part of what it is."""

    __slots__ = ("_children", "_key")
    _children: tuple[Any, ...]
    _key: int | None

    # These are written out for each kind by `write_methods`.
    def _rebuilt(self, new: tuple[Any, ...]) -> Any:
        """The node with other children."""
        raise NotImplementedError

    def _shape(self) -> tuple[object, ...]:
        """What the node is apart from its children: its kind, type, names and constants, hashable."""
        raise NotImplementedError


set_key: Callable[[Remembered, int | None], None] = Remembered.__dict__["_key"].__set__
set_children: Callable[[Remembered, tuple[Any, ...]], None] = Remembered.__dict__["_children"].__set__


def write_methods(cls: Any) -> None:
    """Gives the dataclass `cls` of nodes its constructor, by which copies are made too, and the methods above."""
    own = fields(cls)
    scope: dict[str, Any] = {"kind": cls, "set_children": set_children, "set_key": set_key}
    scope |= {f"set_{f.name}": getattr(cls, f.name).__set__ for f in own}
    scope |= {f"default_{f.name}": f.default for f in own if f.default is not MISSING}
    parameters = [f.name if f.default is MISSING else f"{f.name}=default_{f.name}" for f in own]
    body = [f"set_{f.name}(self, {f.name})" for f in own]
    text = f"""
def __init__(self, {", ".join(parameters)}):
    {"; ".join(body)}
    set_children(self, {_children(cls, own)})
    set_key(self, None)

def __reduce__(self):
    return kind, ({", ".join(f"self.{f.name}" for f in own)},)

def _rebuilt(self, new):
    return kind({", ".join(_rebuilt(cls, own))})

def _shape(self):
    return kind, {", ".join(_attribute(f) for f in own if f.name not in cls.child_fields)},
"""
    exec(text, scope)
    for name in ("__init__", "__reduce__", "_rebuilt", "_shape"):
        scope[name].__qualname__ = f"{cls.__qualname__}.{name}"
        setattr(cls, name, scope[name])


def _children(cls: Any, own: tuple[Field[Any], ...]) -> str:
    kinds = {f.name: str(f.type) for f in own}
    parts = {_SINGLE: "{0}", _MANY: "*{0}", _OPTIONAL: "*(() if {0} is None else ({0},))"}
    found = [parts[kinds[n]].format(n) for n in cls.child_fields]
    if [kinds[n] for n in cls.child_fields] == [_MANY]:
        return f"tuple({cls.child_fields[0]})"
    return f"({', '.join(found)},)" if found else "()"


def _rebuilt(cls: Any, own: tuple[Field[Any], ...]) -> list[str]:
    """The arguments of the constructor.  Children of which there are many, or not always one, stand last."""
    out = []
    for f in own:
        if f.name not in cls.child_fields:
            out.append(f"self.{f.name}")
            continue
        k = cls.child_fields.index(f.name)
        assert str(f.type) == _SINGLE or f.name == cls.child_fields[-1]
        texts = {
            _SINGLE: f"new[{k}]",
            _MANY: f"new[{k}:]",
            _OPTIONAL: f"None if self.{f.name} is None else new[{k}]",
        }
        out.append(texts[str(f.type)])
    return out


def _attribute(f: Field[Any]) -> str:
    # A Function or an image: what remembers shapes does not keep it alive.
    if f.name == "target":
        return "getattr(self.target, 'serial', self.target)"
    # Equal numbers may be two constants: 0.0 and -0.0.
    return f"float(self.{f.name}).hex() + repr(self.{f.name})" if f.type == "float" else f"self.{f.name}"
