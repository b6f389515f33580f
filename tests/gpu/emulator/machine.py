"""Runs a kernel: all threads of several blocks at once, those together that stand at one instruction."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.gpu.emulator import arithmetic as a
from tests.gpu.emulator import operations, shuffles
from tests.gpu.emulator.memory import GLOBAL, LOCAL, SHARED, Area, DeviceError, GlobalMemory, Who
from tests.gpu.emulator.text import (
    Address,
    Immediate,
    Instruction,
    Kernel,
    Many,
    Module,
    NotUnderstood,
    Register,
    Symbol,
)

WARP = 32
# Threads that are run at once.
_TOGETHER = 1 << 13
_ENDLESS = 1 << 22
_HINTS = ("nc", "volatile", "relaxed", "weak", "gpu", "cta", "sys")


_NUMBERS = (
    "warp_instructions", "sectors", "global_accesses", "wide_accesses", "bank_conflicts", "shared_accesses",
    "constant_turns", "constant_accesses", "barriers", "diverged",
)  # fmt: skip


@dataclass
class Counts:
    """What a launch did: instructions of threads by class and of warps, 32-byte sectors of global memory by access of
    a warp, such accesses of 16 bytes a thread, turns that shared and constant memory needed beyond the first and
    accesses by warps, barriers of blocks, and steps of diverged warps.  Where blocks are sampled, the sectors of each
    allocation, by its start, that a block touches."""

    instructions: dict[str, int] = field(default_factory=dict)
    warp_instructions: int = 0
    sectors: int = 0
    global_accesses: int = 0
    wide_accesses: int = 0
    bank_conflicts: int = 0
    shared_accesses: int = 0
    constant_turns: int = 0
    constant_accesses: int = 0
    barriers: int = 0
    diverged: int = 0
    block_sectors: dict[int, int] = field(default_factory=dict)

    def total(self) -> int:
        """Instructions of threads."""
        return sum(self.instructions.values())

    def as_written(self) -> int:
        """Instructions of threads, a multiplication and addition in one of them as the two that they are."""
        return self.total() + self.instructions.get("fused", 0)

    def add(self, other: Counts) -> None:
        """Adds what another launch did."""
        for name, n in other.instructions.items():
            self.instructions[name] = self.instructions.get(name, 0) + n
        for start, n in other.block_sectors.items():
            self.block_sectors[start] = self.block_sectors.get(start, 0) + n
        for name in _NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass(frozen=True)
class Lenient:
    """What is not stopped at: races of the threads of a warp, shuffles that ask lanes that have ended."""

    lockstep: bool = False
    ask_ended: bool = False


def run(
    module: Module,
    kernel: Kernel,
    memory: GlobalMemory,
    blocks: tuple[int, int, int],
    threads: tuple[int, int, int],
    shared: int,
    arguments: list[bytes],
    symbols: dict[str, int],
    lenient: Lenient | None = None,
    only: Any = None,
) -> Counts:
    """Runs all blocks, or those of the numbers `only`.  `symbols`: where the module's variables in global and constant
    memory are."""
    if [len(x) for x in arguments] != [n for _, n in kernel.parameters]:
        raise DeviceError(f"{kernel.name} takes parameters of {[n for _, n in kernel.parameters]} bytes")
    counts = Counts()
    count, size = blocks[0] * blocks[1] * blocks[2], threads[0] * threads[1] * threads[2]
    lenient = lenient or Lenient()
    step = max(1, _TOGETHER // size)
    for area, _ in memory.areas.values():
        area.forget()
    every = np.arange(count) if only is None else np.asarray(only)
    for first in range(0, len(every), step):
        numbers = every[first : first + step]
        batch = _Batch(module, kernel, memory, blocks, threads, shared, arguments, symbols, numbers, counts, lenient)
        if only is not None:
            batch.touched = []
        batch.run()
        batch.tell_touched()
    return counts


class _Batch:
    def __init__(
        self, module: Module, kernel: Kernel, memory: GlobalMemory, blocks: tuple[int, int, int],
        threads: tuple[int, int, int], shared: int, arguments: list[bytes], symbols: dict[str, int], numbers: Any,
        counts: Counts, lenient: Lenient,
    ) -> None:  # fmt: skip
        self.kernel, self.memory, self.counts = kernel, memory, counts
        self.per_block = threads[0] * threads[1] * threads[2]
        n = self.n = len(numbers) * self.per_block
        inside = np.tile(np.arange(self.per_block), len(numbers))
        block = np.repeat(numbers, self.per_block)
        self.block = np.repeat(np.arange(len(numbers)), self.per_block)
        self.global_thread = (block * self.per_block + inside).astype(np.int64)
        self.warp = self.block * (-(-self.per_block // WARP)) + inside // WARP
        self.lane = inside % WARP
        # Who accesses memory, for races: threads, or warps where these are in step.
        self.ask_ended = lenient.ask_ended
        self.accessors = self.per_block
        self.accessor = self.global_thread
        if lenient.lockstep:
            self.accessors = -(-self.per_block // WARP)
            self.accessor = (block * self.accessors + inside // WARP).astype(np.int64)
        self.special = {
            "%tid.x": inside % threads[0], "%tid.y": inside // threads[0] % threads[1],
            "%tid.z": inside // (threads[0] * threads[1]), "%ctaid.x": block % blocks[0],
            "%ctaid.y": block // blocks[0] % blocks[1], "%ctaid.z": block // (blocks[0] * blocks[1]),
            "%laneid": self.lane, "%warpid": inside // WARP,
            **{f"%ntid.{c}": np.full(n, t) for c, t in zip("xyz", threads, strict=True)},
            **{f"%nctaid.{c}": np.full(n, t) for c, t in zip("xyz", blocks, strict=True)},
        }  # fmt: skip
        self.special = {k: v.astype(np.uint32) for k, v in self.special.items()}
        self.registers: dict[str, Any] = {}
        for name, kind in kernel.registers.items():
            bits = a.width(kind)
            self.registers[name] = np.zeros(n, bool if bits == 1 else a.UNSIGNED[bits])
        self.parameters = dict(zip((p for p, _ in kernel.parameters), arguments, strict=True))
        self.symbols = dict(symbols)
        self._place(module, shared, len(numbers))
        # Sectors with their blocks, where these are asked for.
        self.touched: list[Any] | None = None
        self.epoch = np.zeros(n, np.int64)
        self.pc = np.zeros(n, np.int64)
        self.waiting = np.zeros(n, bool)
        self.exited = np.zeros(n, bool)
        # Those that wait at a shuffle for other lanes.
        self.meeting = np.zeros(n, bool)

    def _place(self, module: Module, dynamic: int, blocks: int) -> None:
        """Where shared and local variables are: by offset in what a block or a thread has."""
        size = local = 0
        extern = []
        for v in (*module.variables, *self.kernel.variables):
            if v.space == "shared" and v.size is None:
                extern.append(v.name)
            elif v.space == "shared" and self._uses(v.name):
                size = -(-size // v.align) * v.align
                self.symbols[v.name] = size
                size += v.size or 0
            elif v.space == "local":
                local = -(-local // v.align) * v.align
                self.symbols[v.name] = local
                local += v.size or 0
        size = -(-size // 16) * 16
        for name in extern:
            self.symbols[name] = size
        # Some code names no variable for what it asked for, and takes it to start at 0.
        self.shared_size = size + dynamic
        self.local_size = local
        self.shared = Area(-(-self.shared_size // 16) * 16 * blocks, self.memory.random, "shared memory")
        self.local = Area(-(-local // 16) * 16 * self.n, self.memory.random, "local memory")

    def _uses(self, name: str) -> bool:
        return any(name in i.text for i in self.kernel.code)

    # Control.

    def run(self) -> None:
        steps = 0
        code, end = self.kernel.code, len(self.kernel.code)
        while True:
            runnable = ~(self.exited | self.waiting | self.meeting)
            if not runnable.any():
                if self.meeting.any():
                    self.meet(int(self.pc[self.meeting].min()), True)
                    continue
                if not self.waiting.any():
                    return
                self.release()
                continue
            at = self.pc[runnable]
            pc = int(at.min())
            others = at[at != pc]
            stop = int(others.min()) if len(others) else end + 1
            active = np.flatnonzero(runnable & (self.pc == pc))
            warps = len(np.unique(self.warp[active]))
            whole = active if len(active) < self.n else slice(None)
            while True:
                steps += 1
                if steps > _ENDLESS:
                    raise DeviceError(f"{self.kernel.name} does not end")
                if pc >= end:
                    self.exited[whole] = True
                    break
                if pc >= stop:
                    self.pc[whole] = pc
                    break
                i = code[pc]
                self.counts.warp_instructions += warps
                if len(active) < warps * WARP and len(others):
                    self.counts.diverged += warps
                if i.op in ("bra", "ret", "exit", "bar", "barrier"):
                    pc_or_none = self.control(i, pc, whole, active)
                    if pc_or_none is None:
                        break
                    pc = pc_or_none
                    continue
                if i.op == "shfl":
                    self.pc[whole] = pc
                    self.meeting[whole] = True
                    self.meet(pc, False)
                    break
                act, number = whole, len(active)
                if i.guard is not None:
                    own = self.registers[i.guard[0]][active] == i.guard[1]
                    act = active[own]
                    number = len(act)
                if number:
                    self.step(i, act, number)
                pc += 1

    def control(self, i: Instruction, pc: int, whole: Any, active: Any) -> int | None:
        self.count("control", len(active))
        taken = np.ones(len(active), bool)
        if i.guard is not None:
            taken = self.registers[i.guard[0]][active] == i.guard[1]
        if i.op == "bra":
            (target,) = i.operands
            assert isinstance(target, Symbol)
            to = self.kernel.labels[target.name]
            if taken.all() and to > pc:
                # Others may stand between; the scheduler looks again.
                self.pc[whole] = to
                return None
            if not taken.any():
                return pc + 1
            self.pc[active[taken]] = to
            self.pc[active[~taken]] = pc + 1
            return None
        if i.op in ("ret", "exit"):
            self.exited[active[taken]] = True
            self.pc[active[~taken]] = pc + 1
            return None
        if (i.op == "bar" and i.mods[0] not in ("sync", "warp")) or (i.op == "barrier" and "sync" not in i.mods):
            raise NotUnderstood(i.text)
        if i.op == "bar" and i.mods[0] == "warp":
            return pc + 1
        self.waiting[active[taken]] = True
        self.pc[active] = pc + 1
        return None

    def meet(self, pc: int, nobody_comes: bool) -> None:
        """Lets the lanes that wait at a shuffle go on, where all of those have come that it asks for."""
        i = self.kernel.code[pc]
        here = np.flatnonzero(self.meeting & (self.pc == pc))
        missing = shuffles.absent(self, i, here)
        going = here[missing < 0]
        if nobody_comes and not len(going):
            raise DeviceError(f"shuffle: lane {int(missing[0])} of the mask does not take part: {i.text}")
        if len(going):
            self.count("shuffle", len(going))
            shuffles.shuffle(self, i, going)
            self.pc[going] = pc + 1
            self.meeting[going] = False

    def release(self) -> None:
        """Lets blocks go on all of whose threads wait at one barrier."""
        waiting = self.waiting.reshape(-1, self.per_block)
        exited = self.exited.reshape(-1, self.per_block)
        pcs = self.pc.reshape(-1, self.per_block)
        here = waiting.any(axis=1)
        lost = here & exited.any(axis=1)
        if lost.any():
            b = int(np.flatnonzero(lost)[0])
            raise DeviceError(
                f"barrier: {int(waiting[b].sum())} of {self.per_block} threads of block {b} wait at one, and the "
                "others have ended"
            )
        apart = here & (pcs.min(axis=1) != pcs.max(axis=1))
        if apart.any():
            raise DeviceError("barrier: threads of one block wait at different ones")
        self.counts.barriers += int(here.sum())
        going = np.repeat(here, self.per_block)
        self.epoch[going] += 1
        self.waiting[going] = False

    # Values.

    def count(self, what: str, number: int) -> None:
        self.counts.instructions[what] = self.counts.instructions.get(what, 0) + number

    def value(self, operand: object, bits: int, act: Any) -> Any:
        """The bits of an operand."""
        match operand:
            case Register():
                found = self.special[operand.name] if operand.name in self.special else self.registers[operand.name]
                found = found[act]
                return found if bits == 1 or found.dtype == a.UNSIGNED[bits] else found.astype(a.UNSIGNED[bits])
            case Immediate():
                if bits == 1:
                    return np.bool_(operand.bits != 0)
                return np.array([operand.bits & ((1 << bits) - 1)], a.UNSIGNED[bits])
            case Symbol():
                return np.array([self.symbols[operand.name]], a.UNSIGNED[bits])
            case Many((Register() as one,)):
                return ~self.registers[one.name][act]
        raise NotUnderstood(str(operand))

    def put(self, register: object, bits: Any, kind: str, act: Any) -> None:
        """Stores bits of type `kind`, extended by its sign where the register is wider."""
        assert isinstance(register, Register)
        if register.name == "%_" or register.name == "_":
            return
        to = self.registers[register.name]
        if to.dtype == bool or bits.dtype == to.dtype:
            to[act] = bits
        elif kind[0] == "s":
            to[act] = a.typed(bits, kind).astype(a.SIGNED[8 * to.dtype.itemsize]).view(to.dtype)
        else:
            to[act] = bits.astype(to.dtype)

    def step(self, i: Instruction, act: Any, number: int) -> None:
        if i.op in ("ld", "ldu", "st"):
            self.access(i, act, number)
        elif i.op in ("atom", "red"):
            self.atomic(i, act, number)
        else:
            self.count(operations.classify(i), number)
            operations.compute(self, i, act)

    # Memory.

    def addresses(self, address: object, act: Any, number: int) -> Any:
        assert isinstance(address, Address)
        base = self.value(address.base, 64, act).astype(np.int64)
        return np.broadcast_to(base + address.offset, (number,))

    def access(self, i: Instruction, act: Any, number: int) -> None:
        mods = [m for m in i.mods if not m.startswith("L") and m not in _HINTS]
        space = next((m for m in mods if m in ("global", "shared", "local", "const", "param")), "")
        kind = mods[-1]
        lanes = next((int(m[1:]) for m in mods if m in ("v2", "v4")), 1)
        size = a.width(kind) // 8
        stores = i.op == "st"
        address, register = i.operands if stores else reversed(i.operands)
        registers = register.items if isinstance(register, Many) else (register,)
        if space == "param":
            self.count("parameter", number)
            assert isinstance(address, Address) and isinstance(address.base, Symbol)
            data = self.parameters[address.base.name]
            for k, r in enumerate(registers):
                start = address.offset + k * size
                bits = np.frombuffer(data[start : start + size], a.UNSIGNED[8 * size])
                self.put(r, np.broadcast_to(bits, (number,)), kind, act)
            return
        where = self.addresses(address, act, number)
        if (where % (size * lanes)).any():
            raise DeviceError(f"misaligned: {i.text} at {int(where[(where % (size * lanes)) != 0][0]):#x}")
        space, where = self.resolved(space, where)
        if space == "const" and stores:
            raise DeviceError(f"a store to constant memory: {i.text}")
        self.count(f"{space} {'store' if stores else 'load'}", number)
        self.measure(space, where, size * lanes, act)
        for k, r in enumerate(registers):
            here = where + k * size
            if stores:
                value = np.broadcast_to(self.value(r, 8 * size, act), (number,))
                for area, places, which in self.areas(space, here, size, act):
                    area.store(places, value[which], size, self.who(space, act, which))
                continue
            out = np.zeros(number, a.UNSIGNED[8 * size])
            # A load of what others update in one step: the update that follows tells races, and may be of the word
            # around a last byte, which ends within what is given out at a time.
            relaxed = "relaxed" in i.mods
            # LLVM makes one load of elements beside each other, from a multiple of its bytes on, and of what makes that
            # whole: beyond the end of an allocation lies anything, which no other has.
            begin, least = (where, 1) if space == "global" else (here, 1 if relaxed else size)
            for area, places, which in self.areas(space, begin, least, act):
                known = None if relaxed else self.who(space, act, which)
                out[which] = area.load(places + (here - begin)[which], size, known)
            self.put(r, out, kind, act)

    def resolved(self, space: str, where: Any) -> tuple[str, Any]:
        """The space of generic addresses, and the addresses in it."""
        if space:
            return space, where
        low = int(where.min())
        space = "global" if low >= GLOBAL else "local" if low >= LOCAL else "shared"
        base = {"global": 0, "local": LOCAL, "shared": SHARED}[space]
        return space, where - base

    def who(self, space: str, act: Any, which: Any) -> Who | None:
        if space in ("local", "const") or (space == "global" and not self.memory.checked):
            return None
        return Who(self.accessor[act][which], self.epoch[act][which], self.accessors)

    def areas(self, space: str, where: Any, size: int, act: Any) -> list[tuple[Area, Any, Any]]:
        if space in ("global", "const"):
            found = self.memory.split(where, size)
            if any(area.constant != (space == "const") for area, _, _ in found):
                raise DeviceError(f"access outside: bytes of {space} memory that are not there")
            return found
        limit = self.shared_size if space == "shared" else self.local_size
        bad = (where < 0) | (where + size > limit)
        if bad.any():
            raise DeviceError(f"access outside: byte {int(where[bad][0])} of {limit} bytes of {space} memory")
        step = -(-limit // 16) * 16
        owner = self.block[act] if space == "shared" else np.arange(self.n)[act]
        area = self.shared if space == "shared" else self.local
        return [(area, where + owner * step, np.arange(len(where)))]

    def measure(self, space: str, where: Any, size: int, act: Any) -> None:
        warp = self.warp[act]
        if space == "global":
            first, last = where >> 5, (where + size - 1) >> 5
            both = np.concatenate([warp * (1 << 44) + first, warp * (1 << 44) + last])
            self.counts.sectors += len(np.unique(both))
            if self.touched is not None:
                block = self.block[act].astype(np.int64) << 44
                self.touched.append(np.unique(np.concatenate([block + first, block + last])))
            warps = len(np.unique(warp))
            self.counts.global_accesses += warps
            self.counts.wide_accesses += warps * (size == 16)
        elif space == "const":
            # One word of 4 bytes at a time for all threads of a warp.
            words = np.unique(np.concatenate([warp * (1 << 44) + (where + k) // 4 for k in range(0, size, 4)]))
            warps = len(np.unique(warp))
            self.counts.constant_accesses += warps
            self.counts.constant_turns += len(words) - warps * max(1, size // 4)
        elif space == "shared":
            words = np.unique(np.concatenate([warp * (1 << 32) + (where + k) // 4 for k in range(0, size, 4)]))
            # Accesses of 8 and 16 bytes are made for halves and quarters of a warp.
            banks = (words >> 32) * 32 + words % 32
            _, per_bank = np.unique(banks, return_counts=True)
            by_warp = np.unique(banks) // 32
            self.counts.shared_accesses += len(np.unique(by_warp))
            turns = np.zeros(int(by_warp.max()) + 1, np.int64)
            np.maximum.at(turns, by_warp, per_bank)
            self.counts.bank_conflicts += int(np.maximum(turns - max(1, size // 4), 0).sum())

    def tell_touched(self) -> None:
        """Counts the sectors that each block touches, by allocation."""
        if not self.touched:
            return
        sectors = np.unique(np.concatenate(self.touched)) & ((1 << 44) - 1)
        starts = np.array(self.memory.starts)
        which, counts = np.unique(np.searchsorted(starts, sectors << 5, side="right") - 1, return_counts=True)
        for k, n in zip(which, counts, strict=True):
            start = int(starts[max(k, 0)])
            self.counts.block_sectors[start] = self.counts.block_sectors.get(start, 0) + int(n)

    def atomic(self, i: Instruction, act: Any, number: int) -> None:
        """atom and red: one thread after the other."""
        kind = i.mods[-1]
        space, op = (next((m for m in i.mods if m in names), "") for names in (("global", "shared"), operations.ATOMIC))
        if not op:
            raise NotUnderstood(i.text)
        size = a.width(kind) // 8
        to, address, *given = i.operands if i.op == "atom" else (None, *i.operands)
        space, where = self.resolved(space, self.addresses(address, act, number))
        self.count(f"{space} atomic", number)
        values = [np.broadcast_to(self.value(o, 8 * size, act), (number,)) for o in given]
        old = np.zeros(number, a.UNSIGNED[8 * size])
        # As in `access`.
        for area, places, which in self.areas(space, where, 1 if op == "cas" else size, act):
            for place, k in zip(places, which, strict=True):
                at = np.array([place])
                who = self.who(space, act, np.array([k]))
                if who is not None:
                    area.update(int(place), size, who)
                before = area.load(at, size, None)
                old[k] = before[0]
                after = operations.ATOMIC[op](*(a.typed(x, kind) for x in (before, *(v[k : k + 1] for v in values))))
                area.store(at, a.bits(after), size, None)
        if to is not None:
            self.put(to, old, "b", act)
