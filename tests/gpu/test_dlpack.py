"""Arrays that Buffers and other libraries exchange by DLPack, on the host and on an emulated device."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import halide_core as hc
from halide_core.gpu import dlpack
from halide_core.gpu.runtime import device_runtime
from tests.gpu.emulator.device import Emulator
from tests.gpu.test_buffers import BYTES, HEIGHT, WIDTH, Doubled, _data, _empty

pytestmark = pytest.mark.few(3)


@pytest.fixture
def device() -> Iterator[Emulator]:
    out = Emulator()
    with device_runtime(out):
        yield out
    gc.collect()
    assert not dlpack._SHOWN, "what capsules refer to goes with them"


def test_memory_of_the_host() -> None:
    data = _data()
    given = hc.Buffer(data)
    assert given.__dlpack_device__() == (1, 0)
    found = np.from_dlpack(given)
    assert np.shares_memory(found, data) and np.array_equal(found, data)
    back = hc.Buffer.from_dlpack(data, "back")
    assert back.name() == "back" and np.shares_memory(np.asarray(back), data)
    assert [hc.Buffer.from_dlpack(data, "", r).extents() for r in (True, False)] == [[WIDTH, HEIGHT], [HEIGHT, WIDTH]]


def test_memory_of_the_device(device: Emulator) -> None:
    """Another Buffer stands for another library: it works on the same memory, without a copy."""
    first, last, data = _empty(), _empty(), _data()
    Doubled(hc.Buffer(data)).into(first)
    assert first.__dlpack_device__() == (2, 0)
    theirs = hc.Buffer.from_dlpack(first)
    assert theirs.device_dirty() and theirs.extents() == [WIDTH, HEIGHT]
    assert theirs.device_memory().raw.device == first.device_memory().raw.device
    Doubled(theirs).into(last)
    assert (device.copied_to_device, device.copied_to_host) == (BYTES, 0)
    assert np.array_equal(np.asarray(last), data * 4 + 3)
    # The memory lives as long as anybody shows it, and is given back once.
    place = first.device_memory().raw.device
    del first
    gc.collect()
    assert place in device.memory.areas
    assert np.array_equal(np.asarray(theirs), data * 2 + 1)
    del theirs
    gc.collect()
    assert place not in device.memory.areas


def test_strides_and_axes(device: Emulator) -> None:
    memory = np.zeros((HEIGHT, 2 * WIDTH), np.int32)
    memory[:, ::2] = _data()
    given = hc.Buffer(memory[:, ::2])
    given.copy_to_device()
    given.set_host_dirty(False)
    given.set_device_dirty()
    theirs = hc.Buffer.from_dlpack(given, "", False)
    assert theirs.extents() == [HEIGHT, WIDTH] and theirs.strides() == [2 * WIDTH, 2]
    assert np.array_equal(np.asarray(theirs), _data().T)


def test_what_nobody_takes(device: Emulator) -> None:
    out = _empty()
    Doubled(hc.Buffer(_data())).into(out)
    capsule = out.__dlpack__(stream=1)
    assert len(dlpack._SHOWN) == 1
    del capsule
    assert not dlpack._SHOWN
    assert np.array_equal(np.from_dlpack(_on_host(out)), _data() * 2 + 1)


class _on_host:
    """Asks for the host's memory, wherever the newest values are."""

    def __init__(self, of: hc.Buffer) -> None:
        self.of = of

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __dlpack__(self, **more: Any) -> Any:
        return self.of.__dlpack__(dl_device=(1, 0))


class _Shown:
    """An array of another library's that says something else of itself."""

    def __init__(self, of: hc.Buffer, where: tuple[int, int] = (2, 0), **fields: int) -> None:
        self.of, self.where, self.fields = of, where, fields

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.where

    def __dlpack__(self, stream: Any = None) -> Any:
        assert stream == 1
        capsule = self.of.__dlpack__(stream=stream)
        (shown,) = dlpack._SHOWN.values()
        for name, value in self.fields.items():
            setattr(shown.managed.tensor, name, value)
        return capsule


@pytest.mark.parametrize(
    ("where", "fields", "words"),
    [
        ((2, 1), {}, "An array on device 1 of DLPack's kind 2 cannot be a Buffer"),
        ((10, 0), {}, "An array on device 0 of DLPack's kind 10 cannot be a Buffer"),
        ((2, 0), {"code": 5}, "DLPack's type 5 of 32 bits by 1 cannot be a Buffer"),
        ((2, 0), {"lanes": 4}, "DLPack's type 0 of 32 bits by 4 cannot be a Buffer"),
    ],
)
def test_refused(where: tuple[int, int], fields: dict[str, int], words: str, device: Emulator) -> None:
    out = _empty()
    Doubled(hc.Buffer(_data())).into(out)
    with pytest.raises(hc.HalideError, match=words):
        hc.Buffer.from_dlpack(_Shown(out, where, **fields))
    with pytest.raises(BufferError, match="it cannot be copied"):
        out.__dlpack__(copy=True)


def test_an_offset_and_no_strides(device: Emulator) -> None:
    """Other libraries count bytes from where their memory starts, and leave out strides of dense arrays."""
    out = _empty()
    Doubled(hc.Buffer(_data())).into(out)
    place = out.device_memory().raw.device
    theirs = hc.Buffer.from_dlpack(_Shown(out, data=place - 64, byte_offset=64))
    assert np.array_equal(np.asarray(theirs), _data() * 2 + 1)


def test_another_stream_waits(device: Emulator, monkeypatch: pytest.MonkeyPatch) -> None:
    out = _empty()
    Doubled(hc.Buffer(_data())).into(out)
    waits: list[int] = []
    monkeypatch.setattr(device, "synchronize", lambda: waits.append(1))
    for stream, count in ((None, 0), (1, 0), (-1, 0), (2, 1), (12345, 2)):
        out.__dlpack__(stream=stream)
        assert len(waits) == count
