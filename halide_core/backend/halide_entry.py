"""Functions with Halide's own signature: halide_buffer_t arguments, checks and bounds queries (HalideRuntime.h)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from halide_core import raw_buffer as raw
from halide_core.backend.device_arguments import emit_device_arguments
from halide_core.backend.llvm_builder import FunctionBuilder, ModuleBuilder
from halide_core.backend.llvm_device import DEVICE_DIRTY, begin
from halide_core.backend.llvm_extern import emit_extern
from halide_core.backend.llvm_parallel import REQUIREMENT_FAILED
from halide_core.backend.llvm_stmt import Names, StmtEmitter
from halide_core.backend.llvm_types import llvm_type
from halide_core.backend.ptx import ptx_for
from halide_core.errors import HalideError
from halide_core.function import Image
from halide_core.interface import Array
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import I32, I64, Expr
from halide_core.ir.simplify import simplify
from halide_core.ir.types import Type
from halide_core.lower import Lowered
from halide_core.target import Target

# halide_error_code_t.
_BAD_TYPE, _OUT_OF_BOUNDS, _CONSTRAINT = -3, -4, -8
_NULL_BUFFER, _UNALIGNED = -12, -24
_NEGATIVE, _NULL_HOST, _BAD_DIMENSIONS = -28, -34, -43
_DIRTY_WITHOUT_DEVICE = -44


def emit_halide_function(
    module: ModuleBuilder, symbol: str, arguments: list[Any], lowered: Lowered, assumed: Mapping[str, Expr],
    target: Target,
) -> None:
    """Adds `int symbol(arguments..., halide_buffer_t *outputs...)`; `arguments` are Images and scalar Variables.

    Any buffer without host and device memory makes the call a bounds query, which fills in the boxes needed.  Where
    kernels run, results stay where they were computed, with the marks of halide_buffer_t."""
    _Entry(module, symbol, arguments, lowered, assumed, target).emit()


class _Entry:
    def __init__(
        self, module: ModuleBuilder, symbol: str, arguments: list[Any], lowered: Lowered, assumed: Mapping[str, Expr],
        target: Target,
    ) -> None:
        self.assumed = assumed
        self.target = target
        on_device = {n for k in lowered.kernels for n, _ in k.arrays}
        on_host = {x.name for x in st.walk(lowered.stmt) if isinstance(x, st.HostAccess)}
        arrays = (*lowered.inputs, *lowered.outputs)
        self.on_device = [a for a in arrays if a.name in on_device]
        self.on_host = [a for a in arrays if a.name in on_host or a.name not in on_device]
        self.module = module
        self.symbol = symbol
        self.arguments = arguments
        self.lowered = lowered
        self.b = FunctionBuilder(module)
        self.b.failure = f"ret i32 {REQUIREMENT_FAILED}"
        self.names = Names({}, {}, {}, {})
        self.emitter = StmtEmitter(module, self.b, self.names, symbol)
        self.buffers: dict[str, str] = {}
        self.dims: dict[str, str] = {}

    def emit(self) -> None:
        b = self.b
        signature: list[str] = []
        inputs = {a.name: a for a in self.lowered.inputs}
        for k, argument in enumerate(self.arguments):
            if isinstance(argument, Image):
                signature.append(f"ptr %arg{k}")
                if argument.name in inputs:
                    self.buffers[argument.name] = f"%arg{k}"
                continue
            t: Type = argument.type
            signature.append(f"{'i8' if t.is_bool() else llvm_type(t)} %arg{k}")
            operand = b.emit(f"icmp ne i8 %arg{k}, 0") if t.is_bool() else f"%arg{k}"
            self.names.operands[argument.name], self.names.variable_types[argument.name] = operand, t
        for k, a in enumerate(self.lowered.outputs, len(self.arguments)):
            signature.append(f"ptr %arg{k}")
            self.buffers[a.name] = f"%arg{k}"
        arrays = [*self.lowered.inputs, *self.lowered.outputs]
        for a in arrays:
            if a.name not in self.buffers:
                raise HalideError(f"{self.symbol}: the pipeline reads {a.name}, which is not among its arguments")
        missing = [n for n in self.lowered.parameters if n not in self.names.operands]
        if missing:
            raise HalideError(f"{self.symbol}: the pipeline uses {', '.join(missing)}, not among its arguments")
        self._load_metadata(arrays)
        for q in self.lowered.queries:
            # What it finds stays known.
            emit_extern(self.emitter, q, True)
        self._bounds_query(arrays)
        self._checks(arrays)
        self._run()
        b.finish(f"define i32 @{self.symbol}({', '.join(signature)}) nounwind #0")

    def _field(self, pointer: str, offset: int, kind: str) -> str:
        place = self.b.emit(f"getelementptr i8, ptr {pointer}, i64 {offset}")
        return self.b.emit(f"load {kind}, ptr {place}")

    def _put(self, pointer: str, offset: int, kind: str, value: str) -> None:
        place = self.b.emit(f"getelementptr i8, ptr {pointer}, i64 {offset}")
        self.b.do(f"store {kind} {value}, ptr {place}")

    def _role(self, a: Array) -> str:
        return "Input" if a in self.lowered.inputs else "Output"

    def _fail_if(self, condition: str, code: int, text: str, *values: str) -> None:
        """Reports `text`, printf-formatted with int `values`, and returns `code` where `condition` holds."""
        b = self.b
        bad, good = b.label("bad"), b.label("good")
        b.branch_if(condition, bad, good)
        b.start(bad)
        message = self.module.string(text)
        if values:
            self.module.declare("snprintf", "i32", ["ptr", "i64", "ptr", "..."])
            space = b.alloca("[512 x i8]", align=16)
            rest = "".join(f", i32 {v}" for v in values)
            b.emit(f"call i32 (ptr, i64, ptr, ...) @snprintf(ptr {space}, i64 512, ptr {message}{rest})")
            message = space
        b.do(f"call void @halide_error(ptr null, ptr {message})")
        b.do(f"ret i32 {code}")
        b.start(good)

    def _load_metadata(self, arrays: list[Array]) -> None:
        b, n = self.b, self.names
        for a in arrays:
            buffer = self.buffers[a.name]
            null = b.emit(f"icmp eq ptr {buffer}, null")
            self._fail_if(null, _NULL_BUFFER, f"Buffer argument {a.name} is nullptr")
            self.dims[a.name] = self._field(buffer, raw.DIM, "ptr")
            offset = "0"
            for d in range(a.dimensions):
                places = (d * raw.DIM_BYTES + o for o in (raw.MIN, raw.EXTENT, raw.STRIDE))
                values = [self._field(self.dims[a.name], place, "i32") for place in places]
                for what, value in zip((f"{a.owner}.min.{d}", f"{a.owner}.extent.{d}"), values[:2], strict=True):
                    n.operands[what], n.variable_types[what] = value, I32
                n.operands[f"{a.name}.istride.{d}"], n.variable_types[f"{a.name}.istride.{d}"] = values[2], I32
                wide = b.emit(f"sext i32 {values[2]} to i64")
                n.operands[f"{a.name}.stride.{d}"], n.variable_types[f"{a.name}.stride.{d}"] = wide, I64
                low = b.emit(f"sext i32 {values[0]} to i64")
                offset = b.emit(f"sub i64 {offset}, {b.emit(f'mul i64 {low}, {wide}')}")
            n.operands[f"{a.name}.offset"], n.variable_types[f"{a.name}.offset"] = offset, I64
            n.arrays[a.name], n.array_types[a.name] = self._field(buffer, raw.HOST, "ptr"), a.type
            # Halide promises nothing about buffers that overlap exactly; take none of them to be disjoint.
            n.groups[a.name] = 0

    def _is_query(self, a: Array) -> str:
        b, buffer = self.b, self.buffers[a.name]
        host = b.emit(f"icmp eq ptr {self._field(buffer, raw.HOST, 'ptr')}, null")
        device = b.emit(f"icmp eq i64 {self._field(buffer, raw.DEVICE, 'i64')}, 0")
        return b.emit(f"and i1 {host}, {device}")

    def _bounds_query(self, arrays: list[Array]) -> None:
        b = self.b
        queries = [self._is_query(a) for a in arrays]
        any_query = "false"
        for q in queries:
            any_query = b.emit(f"or i1 {any_query}, {q}")
        query, run = b.label("query"), b.label("run")
        b.branch_if(any_query, query, run)
        b.start(query)
        for a, q in zip(arrays, queries, strict=True):
            fill, after = b.label("fill"), b.label("filled")
            b.branch_if(q, fill, after)
            b.start(fill)
            self._fill(a)
            b.branch(after)
            b.start(after)
        b.do("ret i32 0")
        b.start(run)

    def _box(self, a: Array, d: int) -> tuple[Expr, Expr] | None:
        box = self.lowered.required.get(a.owner)
        if box is None:
            return None
        low, high = box.dims[d]
        return None if low is None or high is None else (low, high)

    def _fill(self, a: Array) -> None:
        b, buffer = self.b, self.buffers[a.name]
        code = (int(a.type.code)) | (a.type.bits << 8) | (1 << 16)
        self._put(buffer, raw.TYPE, "i32", str(code))
        self._put(buffer, raw.DIMENSIONS, "i32", str(a.dimensions))
        stride = "1"
        for d in range(a.dimensions):
            box = self._box(a, d) if a in self.lowered.inputs else None
            if box is None:
                low, extent = (self.names.operands[f"{a.owner}.{w}.{d}"] for w in ("min", "extent"))
            else:
                low = self.emitter.value(box[0])
                extent = self.emitter.value(box[1] - box[0] + 1)
            for o, value in ((raw.MIN, low), (raw.EXTENT, extent), (raw.STRIDE, stride)):
                self._put(self.dims[a.name], d * raw.DIM_BYTES + o, "i32", value)
            stride = b.emit(f"mul i32 {stride}, {extent}")

    def _checks(self, arrays: list[Array]) -> None:
        b = self.b
        for a in arrays:
            buffer, role = self.buffers[a.name], self._role(a)
            code = self._field(buffer, raw.TYPE, "i32")
            wanted = int(a.type.code) | (a.type.bits << 8) | (1 << 16)
            wrong = b.emit(f"icmp ne i32 {code}, {wanted}")
            self._fail_if(
                wrong, _BAD_TYPE, f"{role} buffer {a.name} has type {a.type} but the buffer passed in has another"
            )
            count = self._field(buffer, raw.DIMENSIONS, "i32")
            wrong = b.emit(f"icmp ne i32 {count}, {a.dimensions}")
            self._fail_if(
                wrong,
                _BAD_DIMENSIONS,
                f"{role} buffer {a.name} requires a buffer of exactly {a.dimensions} dimensions, "
                "but the buffer passed in has %d dimensions",
                count,
            )
            if a in self.on_host:
                host = b.emit(f"icmp eq ptr {self._field(buffer, raw.HOST, 'ptr')}, null")
                self._fail_if(host, _NULL_HOST, f"The host pointer of {role.lower()} buffer {a.name} is null")
            if not self.lowered.kernels:
                flags = self._field(buffer, raw.FLAGS, "i64")
                dirty = b.emit(f"icmp ne i64 {b.emit(f'and i64 {flags}, {DEVICE_DIRTY}')}, 0")
                text = f"Buffer {a.name} was changed on a device, and {self.symbol} was made for no target with one"
                self._fail_if(dirty, _DIRTY_WITHOUT_DEVICE, text)
            for d in range(a.dimensions):
                self._check_dimension(a, d, role)
        self._check_shapes()
        for image in self._stated():
            self._check_constraints(image)
        for condition, text, arguments in self.lowered.requirements:
            wrong = self.emitter.value(simplify(ir.Not(condition.type, condition)))
            values = [self.emitter.value(e) for e in arguments]
            # Only a message with values is taken for a format.
            wording = text.replace("%", "%%").format(*("%d" for _ in values)) if values else text.format()
            self._fail_if(wrong, _CONSTRAINT, wording, *values)

    def _stated(self) -> list[Image]:
        """Images and outputs of which something is stated."""
        outputs = [i for f in self.lowered.environment.order for i in f.buffers if i.name in self.buffers]
        return [*self.lowered.environment.images, *outputs]

    def _check_shapes(self) -> None:
        """The values of one Func lie in buffers of one shape: the code takes the first one's for all."""
        first: dict[str, Array] = {}
        for a in self.lowered.outputs:
            other = first.setdefault(a.owner, a)
            for d in range(a.dimensions if other is not a else 0):
                for what, offset in (("min", raw.MIN), ("extent", raw.EXTENT)):
                    place = d * raw.DIM_BYTES + offset
                    found, wanted = (self._field(self.dims[x.name], place, "i32") for x in (a, other))
                    differ = self.b.emit(f"icmp ne i32 {found}, {wanted}")
                    text = f"Constraint violated: {a.name}.{what}.{d} (%d) == {other.name}.{what}.{d} (%d)"
                    self._fail_if(differ, _CONSTRAINT, text, found, wanted)

    def _check_constraints(self, image: Image) -> None:
        """What set_min, set_extent, set_stride and set_host_alignment stated, on which the code relies."""
        b = self.b
        owner = next((a.owner for a in self.lowered.outputs if a.name == image.name), image.name)
        for what, wanted in image.fixed.items():
            kind, d = what.split(".")
            name = f"{image.name}.istride.{d}" if kind == "stride" else f"{owner}.{what}"
            found, expected = self.names.operands[name], self.emitter.value(wanted)
            differ = b.emit(f"icmp ne i32 {found}, {expected}")
            right = str(wanted).replace("%", "%%")
            text = f"Constraint violated: {image.name}.{kind}.{d} (%d) == {right} (%d)"
            self._fail_if(differ, _CONSTRAINT, text, found, expected)
        if image.alignment > 1:
            host = b.emit(f"ptrtoint ptr {self._field(self.buffers[image.name], raw.HOST, 'ptr')} to i64")
            odd = b.emit(f"icmp ne i64 {b.emit(f'and i64 {host}, {image.alignment - 1}')}, 0")
            text = f"The host pointer of {image.name} is not aligned to a {image.alignment} bytes boundary."
            self._fail_if(odd, _UNALIGNED, text)

    def _check_dimension(self, a: Array, d: int, role: str) -> None:
        b, n = self.b, self.names.operands
        low, extent = n[f"{a.owner}.min.{d}"], n[f"{a.owner}.extent.{d}"]
        negative = b.emit(f"icmp slt i32 {extent}, 0")
        self._fail_if(negative, _NEGATIVE, f"{role} buffer {a.name} has a negative extent in dimension {d}: %d", extent)
        if d == 0 and a in self.lowered.outputs and f"{a.name}.stride.0" in self.assumed:
            stride = n[f"{a.name}.istride.0"]
            wrong = b.emit(f"icmp ne i32 {stride}, 1")
            self._fail_if(wrong, _CONSTRAINT, f"Constraint violated: {a.name}.stride.0 (%d) == 1 (1)", stride)
        box = self._box(a, d)
        if box is None:
            if a.owner in self.lowered.required:
                raise HalideError(f"{self.symbol}: {a.name} is accessed over an unbounded range in dimension {d}")
            return
        first, last = self.emitter.value(box[0]), self.emitter.value(box[1])
        highest = b.emit(f"sub i32 {b.emit(f'add i32 {low}, {extent}')}, 1")
        some = b.emit(f"icmp sge i32 {last}, {first}")
        before = b.emit(f"and i1 {some}, {b.emit(f'icmp slt i32 {first}, {low}')}")
        beyond = b.emit(f"and i1 {some}, {b.emit(f'icmp sgt i32 {last}, {highest}')}")
        text = f"{role} buffer {a.name} is accessed at %d, which is {{}} (%d) in dimension {d}"
        self._fail_if(before, _OUT_OF_BOUNDS, text.format("before the min"), first, low)
        self._fail_if(beyond, _OUT_OF_BOUNDS, text.format("beyond the max"), last, highest)

    def _run(self) -> None:
        if self.lowered.kernels:
            emit_device_arguments(self.b, self.emitter, self.buffers, self.on_device, self.on_host, self.lowered)
            begin(self.b, ptx_for(self.lowered.kernels, self.target))
        self.emitter.expr.reset()
        self.emitter.emit(self.lowered.stmt)
        self.b.do("ret i32 0")
