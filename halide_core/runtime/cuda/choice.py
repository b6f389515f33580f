"""Between device and host, for functions that have code for both, as LLVM IR.

What the device does must be what the host would have done: results reach the caller's memory when all are there,
and where anything fails the host's code runs."""

from __future__ import annotations

from halide_core.runtime.cuda.copies import ON_HOST, TO_HOST
from halide_core.runtime.cuda.driver import (
    COPY_TO_DEVICE,
    COPY_TO_HOST,
    DEVICE_ERROR,
    NO_SYMBOL,
    OUT_OF_MEMORY,
    RUN,
    SYNC,
    constant,
)
from halide_core.runtime.processors import float_control

VARIABLE = "LIFT_DEVICE"
HOST, AUTO, CUDA = 0, 1, 2
# Linux's MADV_POPULATE_READ: brings pages in, and says where there are none that can be read (since Linux 5.14).
_POPULATE_READ = 22
# What a thread starts with, of the bits that say how it rounds and what it does to denormals.
_FLOAT_CONTROL = {"x86": 0x1F80, "arm": 0}
# After these the device is left alone: its context is lost, or there is none.
_LASTING = (COPY_TO_HOST, COPY_TO_DEVICE, SYNC, NO_SYMBOL, RUN, DEVICE_ERROR)

_CHOICE = f"""
declare i32 @getpid() nounwind
declare i32 @getpagesize() nounwind
declare i32 @strcmp(ptr, ptr) nounwind
declare i32 @madvise(ptr, i64, i32) nounwind

{constant("hl.device.variable", VARIABLE)}
{constant("hl.device.host", "host")}
{constant("hl.device.cuda", "cuda")}
; What the environment says, -1 before it was asked; whether the device is left alone; the process that has used it.
@hl.device.asked = linkonce_odr hidden global i32 -1
@hl.device.off = linkonce_odr hidden global i32 0
@hl.device.pid = linkonce_odr hidden global i32 0

; {HOST}: the host always, {AUTO}: whatever is the faster, {CUDA}: the device where there is one.
define linkonce_odr hidden i32 @hl.device.mode() nounwind {{
entry:
  %known = load atomic i32, ptr @hl.device.asked monotonic, align 4
  %asked = icmp sge i32 %known, 0
  br i1 %asked, label %answer, label %ask
answer:
  ret i32 %known
ask:
  %text = call ptr @getenv(ptr @hl.device.variable)
  %none = icmp eq ptr %text, null
  br i1 %none, label %keep, label %read
read:
  %a = call i32 @strcmp(ptr %text, ptr @hl.device.host)
  %b = call i32 @strcmp(ptr %text, ptr @hl.device.cuda)
  %is.host = icmp eq i32 %a, 0
  %is.cuda = icmp eq i32 %b, 0
  %m0 = select i1 %is.cuda, i32 {CUDA}, i32 {AUTO}
  %m1 = select i1 %is.host, i32 {HOST}, i32 %m0
  br label %keep
keep:
  %mode = phi i32 [ {AUTO}, %ask ], [ %m1, %read ]
  store atomic i32 %mode, ptr @hl.device.asked monotonic, align 4
  ret i32 %mode
}}

; Whether a call that saves %gain seconds on the device is made there.  Opening the device and loading kernels, which
; are at %kernels then, takes long: that is done once calls that were made on the host instead would have saved as much,
; which is kept at %missed.
define linkonce_odr hidden i1 @hl.device.pays(ptr %kernels, ptr %missed, double %gain, double %open, double %load)
    nounwind {{
  %some = fcmp ogt double %gain, 0.0
  br i1 %some, label %look, label %no
look:
  %there = load atomic ptr, ptr %kernels acquire, align 8
  %loaded = icmp ne ptr %there, null
  br i1 %loaded, label %yes, label %wait
wait:
  %is.open = load atomic i32, ptr @hl.cuda.is_open acquire, align 4
  %closed = icmp eq i32 %is.open, 0
  %opening = select i1 %closed, double %open, double 0.0
  %cost = fadd double %opening, %load
  %before = atomicrmw fadd ptr %missed, double %gain monotonic, align 8
  %sum = fadd double %before, %gain
  %enough = fcmp oge double %sum, %cost
  br i1 %enough, label %yes, label %no
yes:
  ret i1 true
no:
  ret i1 false
}}

; Whether this thread may run kernels now: it computes floats as they do, the process has not come of one that used the
; device, and there is a device.
define linkonce_odr hidden i1 @hl.device.ready(ptr %context) nounwind {{
entry:
  %off = load atomic i32, ptr @hl.device.off monotonic, align 4
  %is.off = icmp ne i32 %off, 0
  br i1 %is.off, label %no, label %floats
floats:
  %control = call i64 @hl.device.float_control()
  %usual = icmp eq i64 %control, <control>
  br i1 %usual, label %process, label %no
process:
  %pid = call i32 @getpid()
  %pair = cmpxchg ptr @hl.device.pid, i32 0, i32 %pid monotonic monotonic
  %by = extractvalue {{ i32, i1 }} %pair, 0
  %first = icmp eq i32 %by, 0
  %mine = icmp eq i32 %by, %pid
  %own = or i1 %first, %mine
  br i1 %own, label %open, label %no
open:
  %code = call i32 @hl.cuda.ready(ptr %context)
  %fine = icmp eq i32 %code, 0
  br i1 %fine, label %yes, label %never
never:
  store atomic i32 1, ptr @hl.device.off monotonic, align 4
  br label %no
yes:
  ret i1 true
no:
  ret i1 false
}}

; Leaves the device alone from now on, where %code says that nothing will come of it.
define linkonce_odr hidden void @hl.device.failed(i32 %code) nounwind cold {{
  switch i32 %code, label %end [ {"  ".join(f"i32 {c}, label %lasting" for c in _LASTING)} ]
lasting:
  store atomic i32 1, ptr @hl.device.off monotonic, align 4
  br label %end
end:
  ret void
}}

; Whether all of %bytes bytes can be read; what lies between elements that a function reads is no matter of its contract
; to the last byte.
define linkonce_odr hidden i1 @hl.device.readable(ptr %place, i64 %bytes) nounwind {{
  %none = icmp sle i64 %bytes, 0
  br i1 %none, label %yes, label %ask
yes:
  ret i1 true
ask:
  %page32 = call i32 @getpagesize()
  %page = sext i32 %page32 to i64
  %mask = sub i64 0, %page
  %address = ptrtoint ptr %place to i64
  %start = and i64 %address, %mask
  %before = sub i64 %address, %start
  %length = add i64 %bytes, %before
  %first = inttoptr i64 %start to ptr
  %refused = call i32 @madvise(ptr %first, i64 %length, i32 {_POPULATE_READ})
  %fine = icmp eq i32 %refused, 0
  ret i1 %fine
}}

; Brings what the device has changed of %n buffers to the host.  %beside: into memory of its own first, since the
; caller's is still needed should one of the copies fail.
define linkonce_odr hidden i32 @hl.device.fetch(ptr %context, ptr %buffers, i64 %n, i1 %beside) nounwind {{
entry:
  %copies = alloca ptr, i64 %n
  br label %head
head:
  %k = phi i64 [ 0, %entry ], [ %k1, %next ]
  %more = icmp slt i64 %k, %n
  br i1 %more, label %one, label %all
one:
  %copy.p = getelementptr ptr, ptr %copies, i64 %k
  store ptr null, ptr %copy.p
  %buffer.p = getelementptr ptr, ptr %buffers, i64 %k
  %buffer = load ptr, ptr %buffer.p
  %flags.p = getelementptr %hl.buffer, ptr %buffer, i32 0, i32 3
  %flags = load i64, ptr %flags.p
  %dirty = and i64 %flags, 2
  %due = icmp ne i64 %dirty, 0
  br i1 %due, label %bring, label %next
bring:
  br i1 %beside, label %provide, label %direct
direct:
  %direct.code = call i32 @halide_copy_to_host(ptr %context, ptr %buffer)
  br label %check
provide:
  %size = call i64 @hl.device.span(ptr %buffer)
  %padded = add i64 %size, 64
  %copy = call ptr @halide_malloc(ptr null, i64 %padded)
  %short = icmp eq ptr %copy, null
  br i1 %short, label %check, label %enter
enter:
  store ptr %copy, ptr %copy.p
  %entered = call i32 @hl.cuda.enter(ptr %context)
  %bad = icmp ne i32 %entered, 0
  br i1 %bad, label %check, label %run
run:
  %device = load i64, ptr %buffer
  %run.code = call i32 @hl.cuda.copy(ptr %context, ptr %buffer, i32 {TO_HOST}, i64 %device, ptr %copy)
  call void @hl.cuda.leave()
  br label %check
check:
  %code = phi i32 [ %direct.code, %direct ], [ {OUT_OF_MEMORY}, %provide ], [ %entered, %enter ], [ %run.code, %run ]
  %fine = icmp eq i32 %code, 0
  br i1 %fine, label %next, label %stop
stop:
  %k.stop = add i64 %k, 1
  br label %all
next:
  %k1 = add i64 %k, 1
  br label %head
all:
  ; All of them are there, or none of the caller's memory is touched.
  %status = phi i32 [ 0, %head ], [ %code, %stop ]
  %count = phi i64 [ %n, %head ], [ %k.stop, %stop ]
  br label %put
put:
  %i = phi i64 [ 0, %all ], [ %i1, %put.next ]
  %rest = icmp slt i64 %i, %count
  br i1 %rest, label %put.one, label %done
put.one:
  %kept.p = getelementptr ptr, ptr %copies, i64 %i
  %kept = load ptr, ptr %kept.p
  %nothing = icmp eq ptr %kept, null
  br i1 %nothing, label %put.next, label %put.some
put.some:
  %good = icmp eq i32 %status, 0
  br i1 %good, label %write, label %drop
write:
  %its.p = getelementptr ptr, ptr %buffers, i64 %i
  %its = load ptr, ptr %its.p
  %host.p = getelementptr %hl.buffer, ptr %its, i32 0, i32 2
  %host = load ptr, ptr %host.p
  %from = ptrtoint ptr %kept to i64
  %written = call i32 @hl.cuda.copy(ptr %context, ptr %its, i32 {ON_HOST}, i64 %from, ptr %host)
  br label %drop
drop:
  call void @halide_free(ptr null, ptr %kept)
  br label %put.next
put.next:
  %i1 = add i64 %i, 1
  br label %put
done:
  ret i32 %status
}}

; Bytes from a buffer's first element to its last; none runs backwards.
define linkonce_odr hidden i64 @hl.device.span(ptr %buffer) nounwind {{
  %shape.p = alloca %hl.shape
  %n.p = getelementptr %hl.buffer, ptr %buffer, i32 0, i32 7
  %n = load i32, ptr %n.p
  %rows = alloca %hl.row, i32 %n
  %backwards = call i1 @hl.cuda.shape(ptr %buffer, ptr %buffer, ptr %rows, ptr %shape.p)
  %span = load i64, ptr %shape.p
  %size = select i1 %backwards, i64 0, i64 %span
  ret i64 %size
}}
"""


def choice(arch: str) -> str:
    """The functions for "x86" or "arm"."""
    text = _CHOICE.replace("<control>", str(_FLOAT_CONTROL[arch]))
    return text + float_control(arch, "hl.device.float_control")
