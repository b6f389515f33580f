"""Static libraries: archives in the format of System V and GNU."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

_MAGIC = b"!<arch>\n"


def _member(name: str, data: bytes) -> bytes:
    header = f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n".encode()
    return header + data + (b"\n" if len(data) % 2 else b"")


def write_archive(path: str | Path, objects: Sequence[tuple[str, bytes, Sequence[str]]]) -> None:
    """Writes (file name, contents, symbols defined) as an archive with a symbol table and long names."""
    names = b"".join(f"{name}/\n".encode() for name, _, _ in objects)
    members = []
    for name, data, _ in objects:
        place = names.index(f"{name}/\n".encode())
        members.append(_member(f"/{place}" if len(name) > 15 else f"{name}/", data))
    symbols = [(s, k) for k, (_, _, defined) in enumerate(objects) for s in defined]
    text = b"".join(s.encode() + b"\0" for s, _ in symbols)
    table_size = len(_member("/", bytes(4 + 4 * len(symbols)) + text))
    long_names = _member("//", names)
    start = len(_MAGIC) + table_size + len(long_names)
    offsets = [start + sum(map(len, members[:k])) for k in range(len(members))]
    table = len(symbols).to_bytes(4, "big") + b"".join(offsets[k].to_bytes(4, "big") for _, k in symbols) + text
    Path(path).write_bytes(b"".join([_MAGIC, _member("/", table), long_names, *members]))
