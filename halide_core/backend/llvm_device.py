"""What the host does for a device: copies and launches, by calls of Halide's run time (HalideRuntime.h,
HalideRuntimeCuda.h), which is a library of its own or functions of this process (`halide_core.gpu.runtime`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halide_core import raw_buffer as raw
from halide_core.backend.llvm_builder import FunctionBuilder, ModuleBuilder
from halide_core.backend.llvm_types import float_literal, llvm_type
from halide_core.device_limits import STATIC_SHARED
from halide_core.gpu.indices import MOST_CONSTANT
from halide_core.ir import stmt as st
from halide_core.ir.expr import const_value

if TYPE_CHECKING:
    from halide_core.backend.llvm_stmt import Results, StmtEmitter

# halide_buffer_flags.
HOST_DIRTY, DEVICE_DIRTY = 1, 2


def kernels_in(module: ModuleBuilder) -> str:
    """A variable for what the run time knows of kernels, null before they are loaded."""
    name = f"@{module.fresh_name('hl.kernels')}"
    module.globals.append(f"{name} = internal global ptr null")
    return name


def begin(b: FunctionBuilder, ptx: str, kernels: str = "") -> None:
    """Has the run time load the kernels of the text `ptx`, before anything of `b` is launched.  `kernels`: a variable
    for what it knows of them, if there is one."""
    module = b.module
    b.kernels = kernels or kernels_in(module)
    text = module.string(ptx)
    size = len(ptx.encode()) + 1
    call = f"@halide_cuda_initialize_kernels(ptr {b.context}, ptr {b.kernels}, ptr {text}, i32 {size})"
    check(b, b.emit(f"call i32 {call}"))


def check(b: FunctionBuilder, status: str) -> None:
    """Leaves the function where `status` is not 0."""
    failed, fine = b.label("failed"), b.label("fine")
    b.branch_if(b.emit(f"icmp ne i32 {status}, 0"), failed, fine)
    b.start(failed)
    b.fail(status)
    b.start(fine)


def mark(b: FunctionBuilder, buffer: str, dirty: int) -> None:
    """Says that one side has changed what the halide_buffer_t `buffer` holds."""
    place = flags_of(b, buffer)
    flags = b.emit(f"load i64, ptr {place}")
    b.do(f"store i64 {b.emit(f'or i64 {flags}, {dirty}')}, ptr {place}")


def _put(b: FunctionBuilder, pointer: str, offset: int, kind: str, value: str) -> None:
    place = b.emit(f"getelementptr i8, ptr {pointer}, i64 {offset}")
    b.do(f"store {kind} {value}, ptr {place}")


def flags_of(b: FunctionBuilder, buffer: str) -> str:
    """Where the marks of the halide_buffer_t `buffer` stand."""
    return b.emit(f"getelementptr i8, ptr {buffer}, i64 {raw.FLAGS}")


def emit_on_device(emitter: StmtEmitter, s: st.OnDevice) -> None:
    """The body of `s`, with a halide_buffer_t of the array: the one that is given, whose memory on the device and whose
    marks stay as they are in the end; or one for this run."""
    b, n = emitter.b, len(s.dims)
    own = buffer = b.alloca(f"[{raw.BUFFER_BYTES} x i8]", align=8)
    dims = b.alloca(f"[{max(n, 1) * raw.DIM_BYTES} x i8]", align=8)
    _put(b, buffer, raw.DEVICE, "i64", "0")
    _put(b, buffer, raw.INTERFACE, "ptr", "null")
    _put(b, buffer, raw.HOST, "ptr", emitter.names.arrays[s.name] if s.on_host else "null")
    _put(b, buffer, raw.FLAGS, "i64", str(HOST_DIRTY if s.dirty else 0))
    bits = 8 if s.type.is_bool() else s.type.bits
    _put(b, buffer, raw.TYPE, "i32", str(int(s.type.code) | (bits << 8) | (1 << 16)))
    _put(b, buffer, raw.DIMENSIONS, "i32", str(n))
    _put(b, buffer, raw.DIM, "ptr", dims)
    _put(b, buffer, raw.PADDING, "ptr", "null")
    for d, (extent, stride) in enumerate(s.dims):
        start = d * raw.DIM_BYTES
        short = b.emit(f"trunc i64 {emitter.value(stride)} to i32")
        values = ((raw.MIN, "0"), (raw.EXTENT, emitter.value(extent)), (raw.STRIDE, short), (raw.DIM_FLAGS, "0"))
        for offset, value in values:
            _put(b, dims, start + offset, "i32", value)
    _check_span(emitter, s)
    given = emitter.names.given.get(s.name)
    if given is not None:
        buffer = b.emit(f"select i1 {b.emit(f'icmp eq ptr {given}, null')}, ptr {own}, ptr {given}")
        if not s.dirty:
            _forget_host(b, given)
    old = emitter.names.device.get(s.name)
    emitter.names.device[s.name] = buffer
    b.on_device.append(own)
    if s.back and emitter.results is not None:
        emitter.results.buffers.append(own)
    emitter.emit(s.body)
    if s.back and emitter.results is None:
        # What was given keeps its marks: `own` has none then.
        to_host(b, own)
    elif s.back and emitter.results is not None and emitter.results.buffers:
        # Before any of them is freed.
        _fetch(b, emitter.results)
        emitter.results.buffers.clear()
    b.on_device.remove(own)
    check(b, b.emit(f"call i32 @halide_device_free(ptr {b.context}, ptr {own})"))
    if old is not None:
        emitter.names.device[s.name] = old
    else:
        del emitter.names.device[s.name]


def _fetch(b: FunctionBuilder, results: Results) -> None:
    count = len(results.buffers)
    places = b.alloca(f"[{count} x ptr]", align=8)
    for k, buffer in enumerate(results.buffers):
        _put(b, places, 8 * k, "ptr", buffer)
    beside = "true" if results.beside else "false"
    check(b, b.emit(f"call i32 @hl.device.fetch(ptr {b.context}, ptr {places}, i64 {count}, i1 {beside})"))


def _forget_host(b: FunctionBuilder, given: str) -> None:
    """The device need not be told what the host has in an array that is given, and written as a whole."""
    forget, after = b.label("forget"), b.label("forgotten")
    b.branch_if(b.emit(f"icmp ne ptr {given}, null"), forget, after)
    b.start(forget)
    place = flags_of(b, given)
    flags = b.emit(f"load i64, ptr {place}")
    b.do(f"store i64 {b.emit(f'and i64 {flags}, {~HOST_DIRTY}')}, ptr {place}")
    b.branch(after)
    b.start(after)


def _check_span(emitter: StmtEmitter, s: st.OnDevice) -> None:
    """Reports an error where the array is longer than kernels can count."""
    b = emitter.b
    span = "1"
    for extent, stride in s.dims:
        last = b.emit(f"sub i64 {b.emit(f'sext i32 {emitter.value(extent)} to i64')}, 1")
        # Of float64, for products of large strides would wrap.
        apart = [b.emit(f"sitofp i64 {x} to double") for x in (last, emitter.value(stride))]
        part = b.emit(f"fmul double {apart[0]}, {apart[1]}")
        span = b.emit(f"fadd double {'1.0' if span == '1' else span}, {part}")
    if span == "1":
        return
    emitter.expr.reset()
    limit = float_literal(float((1 << 31) - MOST_CONSTANT), 64)
    long = b.emit(f"fcmp oge double {span}, {limit}")
    _fail_if(emitter, long, f"{s.name} has more elements than a device can count, which is some 2^31")


def to_host(b: FunctionBuilder, buffer: str) -> None:
    """Copies where the device has stored last."""
    flags = b.emit(f"load i64, ptr {flags_of(b, buffer)}")
    changed = b.emit(f"icmp ne i64 {b.emit(f'and i64 {flags}, {DEVICE_DIRTY}')}, 0")
    copy, after = b.label("copy"), b.label("copied")
    b.branch_if(changed, copy, after)
    b.start(copy)
    check(b, b.emit(f"call i32 @halide_copy_to_host(ptr {b.context}, ptr {buffer})"))
    b.branch(after)
    b.start(after)


def emit_host_access(emitter: StmtEmitter, s: st.HostAccess) -> None:
    """The copy to the host that is due."""
    buffer = emitter.names.device[s.name]
    to_host(emitter.b, buffer)
    if s.stores:
        mark(emitter.b, buffer, HOST_DIRTY)
    emitter.expr.reset()


def _fail_if(emitter: StmtEmitter, condition: str, text: str) -> None:
    """Reports an error where `condition` holds."""
    b = emitter.b
    bad, good = b.label("bad"), b.label("good")
    b.branch_if(condition, bad, good)
    b.start(bad)
    b.say(emitter.module.string(text))
    b.fail("-1")
    b.start(good)


def _shared(emitter: StmtEmitter, s: st.Launch) -> str:
    """The bytes of shared memory that the launch asks for, beside what the kernel declares itself; more than is allowed
    is an error."""
    known = const_value(s.shared)
    if known is not None and known <= STATIC_SHARED:
        return "0"
    size = emitter.value(s.shared)
    if known is None:
        many = emitter.b.emit(f"icmp sgt i64 {size}, {s.most_shared}")
        _fail_if(emitter, many, f"{s.kernel}: a block shares more bytes than the target allows, {s.most_shared}")
    return size


def emit_launch(emitter: StmtEmitter, s: st.Launch) -> None:
    """A run of a kernel, where the grid and its blocks are not empty."""
    b = emitter.b
    sizes = [emitter.value(e) for e in (*s.blocks, *s.threads)]
    some = "true"
    for size in sizes:
        some = b.emit(f"and i1 {some}, {b.emit(f'icmp sgt i32 {size}, 0')}")
    run, after = b.label("launch"), b.label("launched")
    b.branch_if(some, run, after)
    b.start(run)
    # What is computed here is not known behind.
    with emitter.expr.within():
        _launch(emitter, s, sizes)
    b.branch(after)
    b.start(after)
    emitter.expr.reset()


def _launch(emitter: StmtEmitter, s: st.Launch, sizes: list[str]) -> None:
    """The copies that are due, and the run itself; `sizes`: the operands of the grid's and the block's extents."""
    b, module = emitter.b, emitter.module
    buffers = [emitter.names.device[n] for n in s.arrays]
    for buffer in buffers:
        call = f"@halide_copy_to_device(ptr {b.context}, ptr {buffer}, ptr {b.interface})"
        check(b, b.emit(f"call i32 {call}"))
    emitter.expr.reset()
    count = len(buffers) + len(s.scalars)
    places = b.alloca(f"[{count + 1} x ptr]", align=8)
    bytes_ = b.alloca(f"[{count + 1} x i64]", align=8)
    kinds = b.alloca(f"[{count + 1} x i8]", align=8)
    given = [(buffer, 8, 1) for buffer in buffers]
    for e in s.scalars:
        text = "i8" if e.type.is_bool() else llvm_type(e.type)
        place = b.alloca(text, align=8)
        value = emitter.value(e)
        b.do(f"store {text} {b.emit(f'zext i1 {value} to i8') if e.type.is_bool() else value}, ptr {place}")
        given.append((place, e.type.bytes(), 0))
    for k, (place, size_, kind) in enumerate((*given, ("null", 0, 0))):
        _put(b, places, 8 * k, "ptr", place)
        _put(b, bytes_, 8 * k, "i64", str(size_))
        _put(b, kinds, k, "i8", str(kind))
    shared = b.emit(f"trunc i64 {_shared(emitter, s)} to i32")
    state = b.emit(f"load ptr, ptr {b.kernels}")
    numbers = ", ".join(f"i32 {x}" for x in (*sizes, shared))
    name = module.string(s.kernel)
    arguments = f"ptr {b.context}, ptr {state}, ptr {name}, {numbers}, ptr {bytes_}, ptr {places}, ptr {kinds}"
    check(b, b.emit(f"call i32 @halide_cuda_run({arguments})"))
    for name, buffer in zip(s.arrays, buffers, strict=True):
        if name in s.written:
            mark(b, buffer, DEVICE_DIRTY)
