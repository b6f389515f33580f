"""Names of files as they may stand in a line of text."""

from __future__ import annotations


def shown(path: str) -> str:
    """A path without what would end a line, a comment or a string literal: that is written as escapes."""
    if path.isprintable() and not set(path) & set('"\\'):
        return path
    out = []
    for c in path:
        if c in '"\\' or not c.isprintable():
            c = c.encode("unicode_escape", "surrogatepass").decode() if c != '"' else '\\"'
        out.append(c)
    return "".join(out)
