"""Loads and stores: dense, strided by shuffles, or lane by lane."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import gcd

from halide_core.backend import llvm_integer as ops
from halide_core.backend.llvm_builder import FunctionBuilder
from halide_core.backend.llvm_gather import gather
from halide_core.backend.llvm_types import literal, llvm_type, memory_type
from halide_core.ir import expr as ir
from halide_core.ir.expr import I32, I64, Expr, const, const_value
from halide_core.ir.named_calls import is_aligned_index
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import key
from halide_core.ir.sums import build_sum, linear_terms
from halide_core.ir.types import Bool, Type
from halide_core.passes.group_stores import FAR, is_far_apart

# Bytes of the pieces in which spans of strided elements are loaded.
_REGISTER = 64


class Memory:
    """Emits accesses to the arrays of one function."""

    def __init__(
        self,
        b: FunctionBuilder,
        env: Mapping[str, str],
        types: Mapping[str, Type],
        emit: Callable[[Expr], str],
        sizes: Mapping[str, int],
    ) -> None:
        self.b = b
        self.env = env
        self.types = types
        self.emit = emit
        self.sizes = sizes
        # Bytes that addresses of arrays are multiples of, where that is more than an element has.
        self.aligned: dict[str, int] = {}
        # Strided loads announced for the statement at hand: group -> (least, greatest) constant offset.
        self.groups: dict[tuple[object, ...], tuple[int, int]] = {}
        self._chunks: dict[tuple[object, ...], list[str]] = {}
        # Loads of transposed blocks: load -> (the block's first load, place among its rows).
        self.blocks: dict[int, tuple[ir.Load, int]] = {}
        self._rows: dict[int, list[str]] = {}

    def reset(self) -> None:
        self.groups = {}
        self.blocks = {}
        self._rows = {}
        self._chunks = {}

    def address(self, name: str, index: Expr, t: Type) -> str:
        """The address of element `index` of array `name`."""
        return self.b.emit(f"getelementptr {memory_type(t.element_of())}, ptr {self.env[name]}, i64 {self.emit(index)}")

    def announce(self, loads: list[ir.Load]) -> None:
        """Makes known the strided loads of one statement, so that neighbours share their dense loads."""
        self._announce_blocks(loads)
        for e in loads:
            stride = _stride(e.index)
            if stride is None or not 2 <= stride <= FAR:
                continue
            if e.predicate is not None and lane_count(e.predicate) is None:
                continue
            assert isinstance(e.index, ir.Ramp)
            group, offset = _group(e, stride)
            low, high = self.groups.get(group, (offset, offset))
            if max(high, offset) - min(low, offset) < 2 * stride:
                self.groups[group] = (min(low, offset), max(high, offset))

    def _announce_blocks(self, loads: list[ir.Load]) -> None:
        """Finds sets of `lanes` loads of one wide or unknown stride whose bases are neighbours: transposed blocks."""
        found: dict[tuple[object, ...], dict[int, ir.Load]] = {}
        for e in loads:
            index = e.index
            if isinstance(index, ir.Ramp) and is_far_apart(e) and e.predicate is None:
                terms, offset = linear_terms(index.base)
                identity = tuple(sorted((k, c) for k, (_, c) in terms.items()))
                group = (e.name, e.type, key(index.stride), identity)
                found.setdefault(group, {})[offset] = e
        for block in found.values():
            lanes = next(iter(block.values())).type.lanes
            least = min(block)
            bool_free = not next(iter(block.values())).type.is_bool()
            if bool_free and lanes in (8, 16) and sorted(block) == list(range(least, least + lanes)):
                for offset, e in block.items():
                    self.blocks[key(e)] = (block[least], offset - least)

    def _transposed(self, e: ir.Load, t: Type) -> str:
        """The load as one row of a transposed block: dense loads along the other direction, then interleaves."""
        first, place = self.blocks[key(e)]
        if key(first) not in self._rows:
            assert isinstance(first.index, ir.Ramp)
            rows: list[str] = []
            for lane in range(t.lanes):
                step = ir.Mul(I64, first.index.stride, const(lane, I64))
                rows.append(self._dense(self.address(e.name, ir.Add(I64, first.index.base, step), t), t, None))
            half, lanes = t.lanes // 2, t.lanes
            low = [x for k in range(half) for x in (k, lanes + k)]
            high = [x for k in range(half, lanes) for x in (k, lanes + k)]
            width = 1
            while width < lanes:
                pairs = [(rows[k], rows[k + half]) for k in range(half)]
                rows = [self._permute(t, a, b, picks) for a, b in pairs for picks in (low, high)]
                width *= 2
            self._rows[key(first)] = rows
        return self._rows[key(first)][place]

    def load(self, e: ir.Load, predicate: str | None) -> str:
        """The value of the load; a false predicate touches no memory and gives 0."""
        if not e.type.is_bool():
            return self._load(e, e.type, predicate)
        raw = self._load(e, e.type.with_bits(8), predicate)
        return ops.compare(self.b, "ne", e.type.with_bits(8), raw, literal(0, e.type.with_bits(8)))

    def _load(self, e: ir.Load, t: Type, predicate: str | None) -> str:
        b = self.b
        if t.is_scalar():
            assert predicate is None
            return b.emit(f"load {llvm_type(t)}, ptr {self.address(e.name, e.index, t)}, align {t.bytes()}")
        stride = _stride(e.index)
        if isinstance(e.index, ir.Broadcast) and predicate is None:
            address = self.address(e.name, e.index.value, t)
            scalar = b.emit(f"load {llvm_type(t.element_of())}, ptr {address}, align {t.bytes()}")
            first = b.emit(f"insertelement {llvm_type(t)} poison, {llvm_type(t.element_of())} {scalar}, i64 0")
            return self._permute(t, first, "poison", [0] * t.lanes)
        if stride == 1:
            assert isinstance(e.index, ir.Ramp)
            align = self.alignment(e.name, e.index.base, t)
            return self._dense(self.address(e.name, e.index.base, t), t, predicate, align)
        if stride == -1:
            assert isinstance(e.index, ir.Ramp)
            first_index = ir.Add(I64, e.index.base, const(1 - t.lanes, I64))
            order = list(reversed(range(t.lanes)))
            if predicate is not None:
                predicate = self._permute(Bool(t.lanes), predicate, "poison", order)
            dense = self._dense(self.address(e.name, first_index, t), t, predicate)
            return self._permute(t, dense, "poison", order)
        if predicate is None and key(e) in self.blocks:
            return self._transposed(e, t)
        if stride is not None and 2 <= stride <= FAR:
            if predicate is None:
                return self._strided(e, t, stride)
            if lane_count(e.predicate) is not None:
                return self._strided_tail(e, t, stride)
        return self._gather(e, t, predicate)

    def alignment(self, name: str, index: Expr, t: Type) -> int:
        """Bytes that the address of element `index` is known to be a multiple of."""
        if isinstance(index, ir.Call) and is_aligned_index(index):
            return int(const_value(index.args[1]) or 1)
        if name not in self.aligned:
            return t.bytes()
        terms, constant = linear_terms(index)
        multiple = gcd(constant, *(factor for _, factor in terms.values()))
        return max(t.bytes(), gcd(self.aligned[name], multiple * t.bytes()))

    def _dense(self, address: str, t: Type, predicate: str | None, align: int | None = None) -> str:
        b, text = self.b, llvm_type(t)
        if predicate is None:
            return b.emit(f"load {text}, ptr {address}, align {align or t.bytes()}")
        mask_type = llvm_type(Bool(t.lanes))
        name = f"llvm.masked.load.{_suffix(t)}.p0"
        b.module.declare(name, text, ["ptr", mask_type, text], "")
        return b.emit(
            f"call {text} @{name}(ptr align {t.bytes()} {address}, {mask_type} {predicate}, {text} zeroinitializer)"
        )

    def _permute(self, t: Type, x: str, y: str, picks: list[int], source: Type | None = None) -> str:
        text = llvm_type(source if source is not None else t)
        mask = ", ".join(f"i32 {p}" if p >= 0 else "i32 poison" for p in picks)
        return self.b.emit(f"shufflevector {text} {x}, {text} {y}, <{len(picks)} x i32> <{mask}>")

    def _strided(self, e: ir.Load, t: Type, stride: int) -> str:
        """Lanes picked from one dense load that spans the loads of the statement with this base and stride.

        Only elements between the first and the last one accessed are read."""
        group, offset = _group(e, stride)
        low, high = self.groups.get(group, (offset, offset))
        if not low <= offset <= high:
            low = high = offset
        total = high - low + (t.lanes - 1) * stride + 1
        chunk_key = (*group, low, high)
        width = min(_REGISTER // t.bytes(), 1 << (total.bit_length() - 1))
        starts = [*range(0, total - width, width), total - width]
        piece = t.with_lanes(width)
        if chunk_key not in self._chunks:
            assert isinstance(e.index, ir.Ramp)
            terms, _ = linear_terms(e.index.base)
            self._chunks[chunk_key] = [
                self._dense(self.address(e.name, build_sum(terms, low + k, I64), t), piece, None) for k in starts
            ]
        wanted = [offset - low + k * stride for k in range(t.lanes)]
        return self._collect(t, piece, self._chunks[chunk_key], starts, wanted, stride)

    def _strided_tail(self, e: ir.Load, t: Type, stride: int) -> str:
        """The same of the first n lanes, from loads under masks; the others are 0 or elements of the span."""
        group, offset = _group(e, stride)
        low, high = self.groups.get(group, (offset, offset))
        if not low <= offset <= high:
            low = high = offset
        width = _REGISTER // t.bytes()
        starts = list(range(0, high - low + (t.lanes - 1) * stride + 1, width))
        piece = t.with_lanes(width)
        chunk_key = (*group, low, high)
        if chunk_key not in self._chunks:
            assert isinstance(e.index, ir.Ramp)
            terms, _ = linear_terms(e.index.base)
            lanes = lane_count(e.predicate)
            assert lanes is not None
            last = (lanes - 1) * stride + (high - low + 1)
            count = self.emit(simplify_index(ir.Select(I32, lanes > 0, last, const(0, I32))))
            loaded: list[str] = []
            for k in starts:
                mask = ops.first_lanes(self.b, self.b.emit(f"sub i32 {count}, {k}"), width)
                address = self.address(e.name, build_sum(terms, low + k, I64), t)
                loaded.append(self._dense(address, piece, mask))
            self._chunks[chunk_key] = loaded
        wanted = [offset - low + k * stride for k in range(t.lanes)]
        return self._collect(t, piece, self._chunks[chunk_key], starts, wanted, stride)

    def _collect(
        self, t: Type, piece: Type, pieces: list[str], starts: list[int], wanted: list[int], stride: int
    ) -> str:
        """The elements `wanted` of a span that lies in overlapping pieces, two registers at a time where the stride
        is no power of two (those the optimiser knows well)."""
        out: str | None = None
        width = piece.lanes
        taken = [next(k for k, start in enumerate(starts) if start <= w < start + width) for w in wanted]
        if t.lanes != width or stride & (stride - 1) == 0:
            picks = [p * width + w - starts[p] for p, w in zip(taken, wanted, strict=True)]
            return self.collect(t, piece, pieces, picks)
        for k in range(len(pieces)):
            if k not in taken:
                continue
            if out is None:
                picks = [w - starts[k] if p == k else -1 for p, w in zip(taken, wanted, strict=True)]
                second = next((j for j in range(k + 1, len(pieces)) if j in taken), None)
                if second is not None:
                    picks = [
                        width + w - starts[second] if p == second else old
                        for p, w, old in zip(taken, wanted, picks, strict=True)
                    ]
                out = self._permute(t, pieces[k], pieces[second] if second is not None else "poison", picks)
                taken = [-1 if p in (k, second) else p for p in taken]
                continue
            both = enumerate(zip(taken, wanted, strict=True))
            picks = [width + w - starts[k] if p == k else lane for lane, (p, w) in both]
            out = self._permute(t, out, pieces[k], picks)
        assert out is not None
        return out

    def collect(self, t: Type, piece: Type, pieces: list[str], picks: list[int]) -> str:
        """The elements `picks` of all pieces in one row."""
        if len(pieces) == 1:
            return self._permute(t, pieces[0], "poison", picks, piece)
        while len(pieces) > 1:
            double = piece.with_lanes(piece.lanes * 2)
            order = list(range(double.lanes))
            pairs = [(pieces[k], pieces[k + 1] if k + 1 < len(pieces) else "poison") for k in range(0, len(pieces), 2)]
            pieces = [self._permute(double, x, y, order, piece) for x, y in pairs]
            piece = double
        return self._permute(t, pieces[0], "poison", picks, piece)

    def _looked_up(self, e: ir.Load, t: Type, size: int) -> str:
        """Bytes of a table of up to 256 by permutations of registers; any table byte where a lane does not exist."""
        b, full, text = self.b, t.with_lanes(_REGISTER), f"<{_REGISTER} x i8>"
        index = self._resized(e.index.type, e.index.type.with_bits(8), self.emit(e.index))
        widen = [k if k < t.lanes else -1 for k in range(_REGISTER)]
        if t.lanes != _REGISTER:
            index = self._permute(full, index, "poison", widen, t)
        parts: list[str] = []
        for start in range(0, size, _REGISTER):
            address = b.emit(f"getelementptr i8, ptr {self.env[e.name]}, i64 {start}")
            left = min(size - start, _REGISTER)
            mask = None if left == _REGISTER else ops.first_lanes(b, str(left), _REGISTER)
            parts.append(self._dense(address, full, mask))
        if len(parts) == 1:
            name = b.module.declare("llvm.x86.avx512.permvar.qi.512", text, [text, text], "")
            out = b.emit(f"call {text} {name}({text} {parts[0]}, {text} {index})")
        else:
            name = b.module.declare("llvm.x86.avx512.vpermi2var.qi.512", text, [text, text, text], "")
            halves = []
            for k in range(0, len(parts), 2):
                other = parts[k + 1] if k + 1 < len(parts) else parts[k]
                halves.append(b.emit(f"call {text} {name}({text} {parts[k]}, {text} {index}, {text} {other})"))
            out = halves[0]
            if len(halves) == 2:
                upper = b.emit(f"icmp slt {text} {index}, zeroinitializer")
                out = b.emit(f"select <{_REGISTER} x i1> {upper}, {text} {halves[1]}, {text} {halves[0]}")
        return out if t.lanes == _REGISTER else self._permute(t, out, "poison", list(range(t.lanes)), full)

    def _resized(self, source: Type, target: Type, operand: str) -> str:
        return self.b.emit(f"trunc {llvm_type(source)} {operand} to {llvm_type(target)}")

    def _gather(self, e: ir.Load, t: Type, predicate: str | None) -> str:
        b = self.b
        size = self.sizes.get(e.name, 0)
        if b.module.permutes_bytes and 0 < size <= 256 and t.bits == 8 and t.is_int_or_uint() and t.lanes <= _REGISTER:
            return self._looked_up(e, t, size)
        return gather(b, self.emit, self.env[e.name], e.index, t, predicate)

    def store(
        self, name: str, t: Type, value: str, index: Expr, predicate: str | None, streaming: bool = False
    ) -> None:
        """Stores `value` of type `t`; lanes are stored in order where indices repeat."""
        b = self.b
        if t.is_bool():
            t = t.with_bits(8)
            value = b.emit(f"zext {llvm_type(t.with_bits(1))} {value} to {llvm_type(t)}")
        text, align = llvm_type(t), t.bytes()
        if t.is_scalar():
            b.do(f"store {text} {value}, ptr {self.address(name, index, t)}, align {align}")
            return
        stride = _stride(index)
        if stride == -1:
            assert isinstance(index, ir.Ramp)
            order = list(reversed(range(t.lanes)))
            value = self._permute(t, value, "poison", order)
            if predicate is not None:
                predicate = self._permute(Bool(t.lanes), predicate, "poison", order)
            self._dense_store(
                self.address(name, ir.Add(I64, index.base, const(1 - t.lanes, I64)), t), t, value, predicate
            )
        elif stride == 1:
            assert isinstance(index, ir.Ramp)
            align = self.alignment(name, index.base, t)
            self._dense_store(self.address(name, index.base, t), t, value, predicate, streaming, align)
        else:
            self._scatter(name, t, value, index, predicate)

    def _dense_store(
        self,
        address: str,
        t: Type,
        value: str,
        predicate: str | None,
        streaming: bool = False,
        align: int | None = None,
    ) -> None:
        b, text = self.b, llvm_type(t)
        if predicate is None:
            how = f"align {_REGISTER}, !nontemporal !1" if streaming else f"align {align or t.bytes()}"
            b.do(f"store {text} {value}, ptr {address}, {how}")
            return
        mask_type = llvm_type(Bool(t.lanes))
        full = f"llvm.masked.store.{_suffix(t)}.p0"
        b.module.declare(full, "void", [text, "ptr", mask_type], "")
        if t.bits < 32:
            predicate = self._unknown(predicate, t.lanes)
        b.do(f"call void @{full}({text} {value}, ptr align {t.bytes()} {address}, {mask_type} {predicate})")

    def unfolded(self, t: Type, value: str) -> str:
        """A vector to be stored where LLVM would store some of its lanes under a mask (vpmaskmov, which takes some 20
        cycles on AMD): its registers are not to be looked into."""
        b, size = self.b, t.lanes * t.bytes()
        # Only whole registers can be named, of 16 bytes at least.
        if not b.module.slow_mask_bytes or t.bits < 32 or t.lanes & (t.lanes - 1) or size < 16:
            return value
        if size <= b.module.slow_mask_bytes:
            text = llvm_type(t)
            return b.emit(f'call {text} asm "", "=x,0"({text} {value})')
        half, text = t.with_lanes(t.lanes // 2), llvm_type(t.with_lanes(t.lanes // 2))
        low, high = (
            self.unfolded(half, self._permute(t, value, "poison", list(range(k, k + half.lanes))))
            for k in (0, half.lanes)
        )
        picks = ", ".join(f"i32 {k}" for k in range(t.lanes))
        return b.emit(f"shufflevector {text} {low}, {text} {high}, <{t.lanes} x i32> <{picks}>")

    def _unknown(self, mask: str, lanes: int) -> str:
        """`mask` as LLVM cannot know it: LLVM 22 makes a truncation under a mask that is constant and of one lane a
        store of the wide element."""
        b, mask_type = self.b, llvm_type(Bool(lanes))
        bits = b.emit(f"bitcast {mask_type} {mask} to i{lanes}")
        wide = max(8, 1 << (lanes - 1).bit_length())
        if wide > lanes:
            bits = b.emit(f"zext i{lanes} {bits} to i{wide}")
        total = ""
        for k in range(0, wide, 64):
            part = bits if wide <= 64 else b.emit(f"lshr i{wide} {bits}, {k}")
            size = min(wide, 64)
            part = part if wide <= 64 else b.emit(f"trunc i{wide} {part} to i64")
            part = b.emit(f'call i{size} asm "", "=r,0"(i{size} {part})')
            if wide > 64:
                part = b.emit(f"zext i64 {part} to i{wide}")
                part = b.emit(f"shl i{wide} {part}, {k}")
                part = part if k == 0 else b.emit(f"or i{wide} {part}, {total}")
            total = part
        if wide > lanes:
            total = b.emit(f"trunc i{wide} {total} to i{lanes}")
        return b.emit(f"bitcast i{lanes} {total} to {mask_type}")

    def _scatter(self, name: str, t: Type, value: str, index: Expr, predicate: str | None) -> None:
        b, text, element = self.b, llvm_type(t), llvm_type(t.element_of())
        indices = self.emit(index)
        index_type = llvm_type(index.type)
        if predicate is not None:
            vector, mask_type = f"<{t.lanes} x ptr>", llvm_type(Bool(t.lanes))
            pointers = b.emit(f"getelementptr {element}, ptr {self.env[name]}, {index_type} {indices}")
            full = f"llvm.masked.scatter.{_suffix(t)}.v{t.lanes}p0"
            b.module.declare(full, "void", [text, vector, mask_type], "")
            b.do(f"call void @{full}({text} {value}, {vector} align {t.bytes()} {pointers}, {mask_type} {predicate})")
            return
        for k in range(t.lanes):
            i = b.emit(f"extractelement {index_type} {indices}, i64 {k}")
            address = b.emit(f"getelementptr {element}, ptr {self.env[name]}, i64 {i}")
            v = b.emit(f"extractelement {text} {value}, i64 {k}")
            b.do(f"store {element} {v}, ptr {address}, align {t.bytes()}")

    def interleaved_store(
        self,
        name: str,
        t: Type,
        places: list[str | None],
        base: Expr,
        predicate: Expr | None = None,
        streaming: bool = False,
    ) -> None:
        """Stores the vectors `places` so that element k of vector j goes to base + k * len(places) + j, of the first
        lanes only where `predicate` says so; nothing where there is None."""
        b, n, lanes = self.b, len(places), t.lanes
        values = [v for v in places if v is not None]
        if predicate is not None or len(values) < n:
            self._interleaved_parts(name, t, places, base, predicate)
            return
        if n == 3 and lanes * t.bytes() == _REGISTER:
            for part in range(n):
                wanted = [(part * lanes + k) % n * lanes + (part * lanes + k) // n for k in range(lanes)]
                value = self._collect(t, t, values, [0, lanes, 2 * lanes], wanted, n)
                where = self.address(name, ir.Add(I64, base, const(part * lanes, I64)), t)
                self._dense_store(where, t, value, None, streaming)
            return
        total = t.with_lanes(lanes * n)
        wide = values
        padded = t
        while len(wide) > 1:
            # Concatenate pairwise; the last one may stay alone, padded with poison.
            joined: list[str] = []
            double = padded.with_lanes(padded.lanes * 2)
            picks = list(range(double.lanes))
            for k in range(0, len(wide), 2):
                other = wide[k + 1] if k + 1 < len(wide) else "poison"
                joined.append(self._permute(double, wide[k], other, picks, padded))
            wide, padded = joined, double
        picks = [j * lanes + k for k in range(lanes) for j in range(n)]
        value = self._permute(total, wide[0], "poison", picks, padded)
        how = f"align {_REGISTER}, !nontemporal !1" if streaming else f"align {t.bytes()}"
        b.do(f"store {llvm_type(total)} {value}, ptr {self.address(name, base, t)}, {how}")


    def _interleaved_parts(
        self, name: str, t: Type, places: list[str | None], base: Expr, predicate: Expr | None
    ) -> None:
        """The same a vector at a time, under masks."""
        n, lanes = len(places), t.lanes
        known = next(v for v in places if v is not None)
        values = [known if v is None else v for v in places]
        total = None
        if predicate is not None:
            count = lane_count(predicate)
            assert count is not None
            total = self.b.emit(f"mul i32 {self.emit(count)}, {n}")
        starts = [k * lanes for k in range(n)]
        mask_type = llvm_type(Bool(lanes))
        for part in range(n):
            wanted = [(part * lanes + k) % n * lanes + (part * lanes + k) // n for k in range(lanes)]
            value = self._collect(t, t, values, starts, wanted, 3)
            mask = None
            if total is not None:
                mask = ops.first_lanes(self.b, self.b.emit(f"sub i32 {total}, {part * lanes}"), lanes)
            if None in places:
                held = ", ".join(f"i1 {int(places[(part * lanes + k) % n] is not None)}" for k in range(lanes))
                mask = f"<{held}>" if mask is None else self.b.emit(f"and {mask_type} {mask}, <{held}>")
            where = ir.Add(I64, base, const(part * lanes, I64))
            self._dense_store(self.address(name, where, t), t, value, mask)


def lane_count(e: Expr | None) -> Expr | None:
    """n where `e` is [0, 1, 2, ...] < n for a mask register's number of lanes; None otherwise."""
    if not isinstance(e, ir.LT) or e.a.type.element_of() != I32 or e.a.type.lanes not in (8, 16, 32, 64):
        return None
    if not isinstance(e.a, ir.Ramp) or const_value(e.a.base) != 0 or const_value(e.a.stride) != 1:
        return None
    return e.b.value if isinstance(e.b, ir.Broadcast) else None


def _suffix(t: Type) -> str:
    return f"v{t.lanes}{'f' if t.is_float() else 'i'}{t.bits}"


def _stride(index: Expr) -> int | None:
    if not isinstance(index, ir.Ramp):
        return None
    value = const_value(index.stride)
    return None if value is None else int(value)


def _group(e: ir.Load, stride: int) -> tuple[tuple[object, ...], int]:
    assert isinstance(e.index, ir.Ramp)
    terms, constant = linear_terms(e.index.base)
    identity = tuple(sorted((k, c) for k, (_, c) in terms.items()))
    return (e.name, e.type, stride, identity, None if e.predicate is None else key(e.predicate)), constant
