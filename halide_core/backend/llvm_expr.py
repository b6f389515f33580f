"""Expressions as LLVM instructions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from halide_core.backend import llvm_integer as ops
from halide_core.backend import llvm_math
from halide_core.backend.llvm_builder import FunctionBuilder
from halide_core.backend.llvm_effects import emit_effect
from halide_core.backend.llvm_intrinsics import RULES, fits_16_bits
from halide_core.backend.llvm_memory import Memory, lane_count
from halide_core.backend.llvm_shuffles import shuffle
from halide_core.backend.llvm_types import literal, llvm_type
from halide_core.errors import HalideError
from halide_core.interp.libm import split_name
from halide_core.ir import expr as ir
from halide_core.ir.expr import I32, CallType, Expr, const_value
from halide_core.ir.named_calls import has_effect, is_aligned_index, is_shuffle
from halide_core.ir.structural import holds_effect, key
from halide_core.ir.sums import depends_on_data
from halide_core.ir.types import Bool, Float, Int, Type, UInt
from halide_core.ir.well_typed import ALIGNED
from halide_core.passes.bounds import bounds_of
from halide_core.passes.stream import LINE

_NODE_OPS = {"Add": "add", "Sub": "sub", "Mul": "mul"}
_COMPARE = {"EQ": "eq", "NE": "ne", "LT": "lt", "LE": "le", "GT": "gt", "GE": "ge"}
_LLVM_MATH = {"sqrt": "sqrt", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "round": "roundeven"}


def _fits(e: ir.Cast) -> bool:
    """Whether a float becomes an integer that both its type and int32 hold, as clamps show: no NaN either."""
    if not e.value.type.is_float() or e.value.type.bits < 32 or not e.type.is_int_or_uint() or e.type.is_bool():
        return False
    low, high = (None if x is None else const_value(x) for x in bounds_of(e.value, {}))
    if low is None or high is None:
        return False
    return bool(max(e.type.min(), -(1 << 31)) <= int(low) and int(high) <= min(e.type.max(), (1 << 31) - 1))


def is_instruction(e: ir.Call) -> bool:
    """Whether the external function `e` calls is none of a library: LLVM has it, or it is made of what LLVM has."""
    parts = split_name(e.name)
    return parts is not None and (parts[0] in _LLVM_MATH or parts[0] in ("is_nan", "is_inf", "is_finite"))


class ExprEmitter:
    """Emits expressions into one function; equal expressions are emitted once while `scope` lasts, and sums of
    coordinates, which no store changes, once in the statements `within` which they stand.

    `env` gives the operand of each Variable and the pointer of each array."""

    def __init__(
        self,
        b: FunctionBuilder,
        env: Mapping[str, str],
        types: Mapping[str, Type],
        sizes: Mapping[str, int] | None = None,
    ) -> None:
        self.b = b
        self.env = env
        self.memory = Memory(b, env, types, self.emit, sizes or {})
        self.scope: dict[int, str] = {}
        self.kept: dict[int, str] = {}
        # What is kept by the statements around, innermost last.
        self.frames: list[list[int]] = []
        # Bytes that the target's psadbw takes, 0 where there is none.
        self.psad = b.module.psad_bytes

    def reset(self) -> None:
        """Forgets emitted values: control has moved or memory has changed."""
        self.scope = {}
        self.memory.reset()

    @contextmanager
    def within(self, shadows: bool = False) -> Iterator[None]:
        """What is emitted within is known to no one after.  `shadows`: what was emitted before is not known within, for
        a name is another's there."""
        around = self.kept
        if shadows:
            self.kept = {}
        self.frames.append([])
        self.reset()
        yield
        for number in self.frames.pop():
            del self.kept[number]
        self.kept = around
        self.reset()

    def emit(self, e: Expr) -> str:
        """The operand holding the value of `e`; children first, on an explicit stack."""
        stack = [e]
        # What prints is emitted from left to right.
        tells = holds_effect(e)
        while stack:
            node = stack[-1]
            number = key(node)
            if number in self.scope:
                stack.pop()
                continue
            if number in self.kept:
                self.scope[number] = self.kept[number]
                stack.pop()
                continue
            needed = self._needed(node)
            missing = [c for c in needed if key(c) not in self.scope]
            if missing:
                stack.extend(missing[::-1] if tells else missing)
                continue
            stack.pop()
            operand = self.scope[number] = self._one(node, [self.scope[key(c)] for c in needed])
            if self.frames and needed and node.type.is_scalar() and not depends_on_data(node):
                self.kept[number] = operand
                self.frames[-1].append(number)
        return self.scope[key(e)]

    def _needed(self, e: Expr) -> tuple[Expr, ...]:
        if isinstance(e, ir.Call) and e.name == ALIGNED:
            return ()
        if isinstance(e, ir.Load):
            return () if e.predicate is None else (e.predicate,)
        if isinstance(e, ir.Broadcast) and const_value(e) is not None:
            return ()
        return ir.children(e)

    def _one(self, e: Expr, args: list[str]) -> str:
        b, t = self.b, e.type
        match e:
            case ir.IntImm() | ir.UIntImm() | ir.FloatImm():
                return literal(e.value, t)
            case ir.StringImm():
                return self.b.module.string(e.value)
            case ir.Variable():
                if e.name not in self.env:
                    raise HalideError(f"The variable {e.name} has no value in the compiled program")
                return self.env[e.name]
            case ir.Cast() if _fits(e):
                whole = Int(32, t.lanes)
                x = b.emit(f"fptosi {llvm_type(e.value.type)} {args[0]} to {llvm_type(whole)}")
                return ops.resize(b, whole, t, x)
            case ir.Cast():
                return self._cast(e.value.type, t, args[0])
            case ir.Reinterpret():
                return b.emit(f"bitcast {llvm_type(e.value.type)} {args[0]} to {llvm_type(t)}")
            case ir.Not():
                return ops.binary(b, "xor", t, args[0], literal(1, t))
            case ir.And():
                return ops.binary(b, "and", t, *args)
            case ir.Or():
                return ops.binary(b, "or", t, *args)
            case ir.Select():
                return ops.select(b, t, args[0], args[1], args[2], scalar_condition=e.condition.type.is_scalar())
            case ir.Load():
                return self.memory.load(e, args[0] if args else None)
            case ir.Ramp():
                return self._ramp(e, args)
            case ir.Broadcast():
                value = const_value(e)
                return literal(value, t) if value is not None else self.splat(args[0], t)
            case ir.Shuffle():
                return self._shuffle(e, args)
            case ir.VectorReduce():
                return self._reduce(e, args[0])
            case ir.Call():
                return self._call(e, args)
            case ir._Binary():
                return self._binary(e, args)
        raise HalideError(f"The back end has no code for the node {type(e).__name__}")

    def splat(self, operand: str, t: Type) -> str:
        """A vector of `t` with the scalar `operand` in every lane."""
        vector, element = llvm_type(t), llvm_type(t.element_of())
        first = self.b.emit(f"insertelement {vector} poison, {element} {operand}, i64 0")
        mask = f"<{t.lanes} x i32> zeroinitializer"
        return self.b.emit(f"shufflevector {vector} {first}, {vector} poison, {mask}")

    def _ramp(self, e: ir.Ramp, args: list[str]) -> str:
        t = e.type
        element = llvm_type(t.element_of())
        steps = "<" + ", ".join(f"{element} {literal(k, t.element_of())}" for k in range(t.lanes)) + ">"
        scaled = ops.binary(self.b, "mul", t, steps, self.splat(args[1], t))
        return ops.binary(self.b, "add", t, self.splat(args[0], t), scaled)

    def _binary(self, e: ir._Binary, args: list[str]) -> str:
        b, operand, name = self.b, e.a.type, type(e).__name__
        constant = const_value(e.b)
        count = lane_count(e)
        if count is not None:
            return ops.first_lanes(b, self.emit(count), operand.lanes)
        if name in _COMPARE:
            return self._compare(name, operand, args)
        if operand.is_float():
            return self._float_binary(name, operand, args)
        if name in _NODE_OPS:
            return ops.binary(b, _NODE_OPS[name], operand, *args)
        if name in ("Div", "Mod"):
            unsigned = all(fits_16_bits(x) and isinstance(x, ir.Cast) and x.value.type.is_uint() for x in (e.a, e.b))
            if name == "Div" and operand.is_vector() and operand.bits == 32 and unsigned:
                return ops.divide_small(b, operand, args[0], args[1])
            rule = ops.divide if name == "Div" else ops.modulo
            return rule(b, operand, args[0], args[1], None if constant is None else int(constant))
        assert name in ("Min", "Max")
        sign, text = ("s" if operand.is_int() else "u"), llvm_type(operand)
        return b.intrinsic(f"{sign}{name.lower()}", operand, [f"{text} {args[0]}", f"{text} {args[1]}"])

    def _compare(self, name: str, t: Type, args: list[str]) -> str:
        op = _COMPARE[name]
        if t.is_float():
            return self.b.emit(f"fcmp {'une' if name == 'NE' else 'o' + op} {llvm_type(t)} {args[0]}, {args[1]}")
        if name not in ("EQ", "NE"):
            op = ("s" if t.is_int() else "u") + op
        return ops.compare(self.b, op, t, *args)

    def _float_binary(self, name: str, t: Type, args: list[str]) -> str:
        b, text = self.b, llvm_type(t)
        if name in ("Min", "Max"):
            chosen = b.emit(f"fcmp {'olt' if name == 'Min' else 'ogt'} {text} {args[0]}, {args[1]}")
            return ops.select(b, t, chosen, args[0], args[1])
        if name == "Mod":
            quotient = b.intrinsic("floor", t, [f"{text} {ops.binary(b, 'fdiv', t, *args)}"])
            return ops.binary(b, "fsub", t, args[0], ops.binary(b, "fmul", t, args[1], quotient))
        return ops.binary(b, {"Add": "fadd", "Sub": "fsub", "Mul": "fmul", "Div": "fdiv"}[name], t, *args)

    def _cast(self, source: Type, target: Type, x: str) -> str:
        b, to = self.b, llvm_type(target)
        if source == target:
            return x
        if source.is_bfloat() and target.is_bfloat():
            return x
        if source.is_bfloat():
            return self._cast(Float(32, source.lanes), target, ops.widen_bfloat(b, source, x))
        if target.is_bfloat():
            return ops.round_to_bfloat(b, target, self._cast(source, Float(32, target.lanes), x))
        if source.is_handle() or target.is_handle():
            op = "ptrtoint" if source.is_handle() else "inttoptr"
            return b.emit(f"{op} {llvm_type(source)} {x} to {to}")
        if target.is_bool():
            zero = literal(0, source)
            op = "fcmp une" if source.is_float() else "icmp ne"
            return b.emit(f"{op} {llvm_type(source)} {x}, {zero}")
        if source.is_float() and target.is_float():
            if source.bits == target.bits:
                return x
            return b.emit(f"{'fpext' if target.bits > source.bits else 'fptrunc'} {llvm_type(source)} {x} to {to}")
        if target.is_float():
            return b.emit(f"{'sitofp' if source.is_int() else 'uitofp'} {llvm_type(source)} {x} to {to}")
        if source.is_float():
            return self._float_to_int(source, target, x)
        return ops.resize(b, source, target, x)

    def _float_to_int(self, source: Type, target: Type, x: str) -> str:
        b = self.b
        if source.bits == 16:
            wide = source.with_bits(32)
            x, source = self._cast(source, wide, x), wide
        if target.is_uint() and target.bits == 64:
            half = literal(2.0**63, source)
            below = b.emit(f"fcmp olt {llvm_type(source)} {x}, {half}")
            low = self._truncate(source, 64, x)
            high = self._truncate(source, 64, ops.binary(b, "fsub", source, x, half))
            flipped = ops.binary(b, "xor", target, high, literal(1 << 63, target))
            return ops.select(b, target, below, low, flipped)
        bits = 64 if target.bits == 64 or (target.bits == 32 and target.is_uint()) else 32
        return ops.resize(b, Int(bits, target.lanes), target, self._truncate(source, bits, x))

    def _truncate(self, source: Type, bits: int, x: str) -> str:
        """x toward zero as a signed integer; the minimum where that does not exist, as cvttps2dq gives it."""
        b, text = self.b, llvm_type(source)
        target = Int(bits, source.lanes)
        limit = 2.0 ** (bits - 1)
        if b.module.saturates and source.is_scalar():
            # What lies below gives the minimum by itself.
            name = f"llvm.nvvm.{'d' if source.bits == 64 else 'f'}2{'ll' if bits == 64 else 'i'}.rz"
            whole = b.emit(f"call i{bits} {b.module.declare(name, f'i{bits}', [text], '')}({text} {x})")
            below = b.emit(f"fcmp olt {text} {x}, {literal(limit, source)}")
            return ops.select(b, target, below, whole, literal(target.min(), target))
        # Above -limit - 1, the first value whose truncation is out of range, where that is representable.
        if source.bits == 64 and bits == 32:
            above = b.emit(f"fcmp ogt {text} {x}, {literal(-limit - 1, source)}")
        else:
            above = b.emit(f"fcmp oge {text} {x}, {literal(-limit, source)}")
        below = b.emit(f"fcmp olt {text} {x}, {literal(limit, source)}")
        inside = b.emit(f"and {llvm_type(Bool(source.lanes))} {above}, {below}")
        safe = ops.select(b, source, inside, x, literal(0.0, source))
        whole = b.emit(f"fptosi {text} {safe} to {llvm_type(target)}")
        return ops.select(b, target, inside, whole, literal(target.min(), target))

    def _shuffle(self, e: ir.Shuffle, args: list[str]) -> str:
        b, element = self.b, e.type.element_of()
        lanes = [v.type.lanes for v in e.vectors]
        if len(lanes) == 1 and lanes[0] > 1 and not e.type.is_scalar():
            text, picks = llvm_type(e.vectors[0].type), ", ".join(f"i32 {k}" for k in e.indices)
            return b.emit(f"shufflevector {text} {args[0]}, {text} poison, <{len(e.indices)} x i32> <{picks}>")
        if len(set(lanes)) == 1 and lanes[0] > 1 and not e.type.is_scalar():
            return self.memory.collect(e.type, e.vectors[0].type, args, list(e.indices))
        picked: list[str] = []
        for index in e.indices:
            place, k = 0, index
            while k >= lanes[place]:
                k -= lanes[place]
                place += 1
            if lanes[place] == 1:
                picked.append(args[place])
            else:
                picked.append(b.emit(f"extractelement {llvm_type(e.vectors[place].type)} {args[place]}, i64 {k}"))
        if e.type.is_scalar():
            return picked[0]
        out = "poison"
        for k, p in enumerate(picked):
            out = b.emit(f"insertelement {llvm_type(e.type)} {out}, {llvm_type(element)} {p}, i64 {k}")
        return out

    def _reduce(self, e: ir.VectorReduce, x: str) -> str:
        b, source = self.b, e.value.type
        factor = source.lanes // e.type.lanes
        if factor == 8 and e.op == "add" and source.element_of() == UInt(64) and self.psad:
            found = self._psad(e)
            if found is not None:
                return found
        if factor == 2 and e.op == "add" and self.psad:
            found = self._pmadd(e)
            if found is not None:
                return found
        text = llvm_type(source)
        part = source.with_lanes(e.type.lanes)
        parts: list[str] = []
        for k in range(factor):
            if e.type.is_scalar():
                parts.append(b.emit(f"extractelement {text} {x}, i64 {k}"))
            else:
                picks = ", ".join(f"i32 {lane * factor + k}" for lane in range(part.lanes))
                parts.append(b.emit(f"shufflevector {text} {x}, {text} poison, <{part.lanes} x i32> <{picks}>"))
        if not source.is_float():
            # A tree: integers are exact in any order.
            while len(parts) > 1:
                parts = [
                    self._combine(e.op, part, parts[k], parts[k + 1]) if k + 1 < len(parts) else parts[k]
                    for k in range(0, len(parts), 2)
                ]
            return parts[0]
        total = parts[0]
        for p in parts[1:]:
            total = self._combine(e.op, part, total, p)
        return total

    def _psad(self, e: ir.VectorReduce) -> str | None:
        """Sums of eight bytes, or of eight absolute differences of bytes, by psadbw."""
        value = e.value
        if not isinstance(value, ir.Cast) or value.value.type.element_of() != UInt(8):
            return None
        width = value.value.type.lanes
        name = {16: "sse2.psad.bw", 32: "avx2.psad.bw", 64: "avx512.psad.bw.512"}.get(width)
        if name is None or width > self.psad:
            return None
        data, zero = value.value, literal(0, value.value.type)
        is_difference = isinstance(data, ir.Call) and data.name == "absd"
        pair = (
            [self.emit(a) for a in data.args]
            if isinstance(data, ir.Call) and is_difference
            else [self.emit(data), zero]
        )
        text, out = llvm_type(data.type), llvm_type(e.type)
        callee = self.b.module.declare(f"llvm.x86.{name}", out, [text, text], "")
        return self.b.emit(f"call {out} {callee}({', '.join(f'{text} {p}' for p in pair)})")

    def _pmadd(self, e: ir.VectorReduce) -> str | None:
        """Sums of two products of int16, by pmaddwd."""
        value = e.value
        if not isinstance(value, ir.Mul) or value.type.element_of() != I32:
            return None
        factors = [f.value for f in (value.a, value.b) if isinstance(f, ir.Cast)]
        each = min(value.type.lanes, self.psad // 2)
        name = {8: "sse2.pmadd.wd", 16: "avx2.pmadd.wd", 32: "avx512.pmaddw.d.512"}.get(each)
        if len(factors) < 2 or any(f.type.element_of() != Int(16) for f in factors) or name is None:
            return None
        taken, made, text = (llvm_type(Int(16, each)), llvm_type(Int(32, each // 2)), llvm_type(factors[0].type))
        callee = self.b.module.declare(f"llvm.x86.{name}", made, [taken, taken], "")
        whole, parts = [self.emit(f) for f in factors], list[str]()
        for start in range(0, value.type.lanes, each):
            pair = whole
            if each < value.type.lanes:
                picks = f"<{each} x i32> <{', '.join(f'i32 {k}' for k in range(start, start + each))}>"
                pair = [self.b.emit(f"shufflevector {text} {w}, {text} poison, {picks}") for w in whole]
            parts.append(self.b.emit(f"call {made} {callee}({taken} {pair[0]}, {taken} {pair[1]})"))
        return self._joined(parts, each // 2)

    def _joined(self, parts: list[str], lanes: int) -> str:
        """Vectors of int32 one after the other, as many as a power of two."""
        while len(parts) > 1:
            text, picks = llvm_type(Int(32, lanes)), ", ".join(f"i32 {k}" for k in range(2 * lanes))
            parts = [
                self.b.emit(f"shufflevector {text} {a}, {text} {b}, <{2 * lanes} x i32> <{picks}>")
                for a, b in zip(parts[::2], parts[1::2], strict=True)
            ]
            lanes *= 2
        return parts[0]

    def _combine(self, op: str, t: Type, x: str, y: str) -> str:
        if op in ("and", "or"):
            return ops.binary(self.b, op, t, x, y)
        if op in ("add", "mul"):
            return ops.binary(self.b, f"f{op}" if t.is_float() else op, t, x, y)
        if t.is_float():
            return self._float_binary(op.capitalize(), t, [x, y])
        sign, text = ("s" if t.is_int() else "u"), llvm_type(t)
        return self.b.intrinsic(f"{sign}{op}", t, [f"{text} {x}", f"{text} {y}"])

    def _call(self, e: ir.Call, args: list[str]) -> str:
        if e.name == ALIGNED:
            return self._aligned(e.args[0], int(const_value(e.args[1]) or 1) if len(e.args) > 1 else LINE)
        if is_aligned_index(e):
            return args[0]
        if e.call_type is CallType.INTRINSIC:
            if ir.is_mathematics(e):
                return llvm_math.call(self.b, e, args, lambda b, operands: ExprEmitter(b, operands, {}).emit)
            return RULES[e.name](self.b, e, args)
        if is_shuffle(e):
            return shuffle(self.b, e, args)
        if has_effect(e):
            return emit_effect(self.b, e, args)
        parts = split_name(e.name)
        if e.call_type is CallType.PURE_EXTERN and parts is not None:
            return self._math(e, parts[0], parts[1], args)
        raise HalideError(f"The back end cannot call {e.name}")

    def _aligned(self, e: Expr, bytes_: int) -> str:
        """Whether the element that `e` loads lies at a multiple of so many bytes."""
        assert isinstance(e, ir.Load)
        b = self.b
        place = b.emit(f"ptrtoint ptr {self.memory.address(e.name, e.index, e.type)} to i64")
        return b.emit(f"icmp eq i64 {b.emit(f'and i64 {place}, {bytes_ - 1}')}, 0")

    def _math(self, e: ir.Call, base: str, bits: int, args: list[str]) -> str:
        b, source = self.b, e.args[0].type
        text = llvm_type(source)
        if base in _LLVM_MATH:
            return b.intrinsic(_LLVM_MATH[base], source, [f"{text} {args[0]}"])
        if base == "is_nan":
            return b.emit(f"fcmp uno {text} {args[0]}, {args[0]}")
        if base in ("is_inf", "is_finite"):
            magnitude = b.intrinsic("fabs", source, [f"{text} {args[0]}"])
            op = "oeq" if base == "is_inf" else "one"
            return b.emit(f"fcmp {op} {text} {magnitude}, {literal(float('inf'), source)}")
        wide = Float(64 if bits == 64 else 32)
        name = base + ("" if bits == 64 else "f")
        # Errors that such functions report in errno are of no interest.
        pure = "nounwind willreturn memory(none)"
        callee = b.module.declare(name, llvm_type(wide), [llvm_type(wide)] * len(args), pure)
        if e.type.is_scalar():
            return self._libm(callee, e.type, wide, args)
        out = "poison"
        for k in range(e.type.lanes):
            lane = [b.emit(f"extractelement {text} {a}, i64 {k}") for a in args]
            value = self._libm(callee, e.type.element_of(), wide, lane)
            out = b.emit(f"insertelement {llvm_type(e.type)} {out}, {llvm_type(e.type.element_of())} {value}, i64 {k}")
        return out

    def _libm(self, callee: str, t: Type, wide: Type, args: list[str]) -> str:
        text = llvm_type(wide)
        wide_args = [self._cast(t, wide, a) for a in args]
        # The library's own value, and not that of another function which is the same but for rounding.
        given = ", ".join(f"{text} {a}" for a in wide_args)
        result = self.b.emit(f"call {text} {callee}({given}) nobuiltin")
        return self._cast(wide, t, result)
