"""Halide's functions on buffers that have memory on a device (HalideRuntime.h), as LLVM IR.

Both sides have a mark, dirty, that their values are newer; what is newer is copied when the other side needs it."""

from __future__ import annotations

from halide_core.runtime.cuda.copies import TO_DEVICE, TO_HOST
from halide_core.runtime.cuda.driver import (
    BOTH_DIRTY,
    DEVICE_ERROR,
    DEVICE_FREE,
    DEVICE_MALLOC,
    INTERFACE_ALONE,
    NO_INTERFACE,
    OTHER_INTERFACE,
    OUT_OF_MEMORY,
    SYNC,
    constant,
    linked,
)

# halide_buffer_flags.
_HOST_DIRTY, _DEVICE_DIRTY = 1, 2
# CUdevice_attribute: the compute capability's two numbers.
_CAPABILITY = (75, 76)
# halide_device_interface_t, in order.
_INTERFACE = (
    "halide_device_malloc", "halide_device_free", "halide_device_sync", "halide_device_release", "halide_copy_to_host",
    "halide_copy_to_device", "halide_device_and_host_malloc", "halide_device_and_host_free", "halide_buffer_copy",
    "halide_device_crop", "halide_device_slice", "halide_device_release_crop", "halide_device_wrap_native",
    "halide_device_detach_native", "halide_cuda_compute_capability",
)  # fmt: skip

BUFFERS = linked(f"""
{constant("hl.cuda.no_interface", "A buffer has memory on a device, but no device interface")}
{constant("hl.cuda.interface_alone", "A buffer has a device interface, but no memory on a device")}
{constant("hl.cuda.both_dirty", "Host and device have both changed a buffer")}
{constant("hl.cuda.other_interface", "A buffer has memory on a device of another kind")}
{constant("hl.cuda.taken", "A buffer that is to take memory of a device has some already")}

@hl.cuda.interface = linkonce_odr hidden constant [{len(_INTERFACE) + 1} x ptr] [
  {", ".join(f"ptr @{f}" for f in _INTERFACE)}, ptr null
]
; Whoever copies what a buffer has, or gives it memory; several threads may run on one buffer.
@hl.cuda.copying = linkonce_odr hidden global [64 x i8] zeroinitializer, align 64

define weak ptr @halide_cuda_device_interface() nounwind {{
  ret ptr @hl.cuda.interface
}}

define linkonce_odr hidden i32 @hl.cuda.check(ptr %context, ptr %buffer) nounwind {{
  %device = load i64, ptr %buffer
  %interface.p = getelementptr %hl.buffer, ptr %buffer, i32 0, i32 1
  %interface = load ptr, ptr %interface.p
  %flags.p = getelementptr %hl.buffer, ptr %buffer, i32 0, i32 3
  %flags = load i64, ptr %flags.p
  %has = icmp ne i64 %device, 0
  %none = icmp eq ptr %interface, null
  %alone = and i1 %has, %none
  br i1 %alone, label %no.interface, label %second
no.interface:
  call void @hl.cuda.say(ptr %context, ptr @hl.cuda.no_interface)
  ret i32 {NO_INTERFACE}
second:
  %nothing = or i1 %has, %none
  br i1 %nothing, label %third, label %no.device
no.device:
  call void @hl.cuda.say(ptr %context, ptr @hl.cuda.interface_alone)
  ret i32 {INTERFACE_ALONE}
third:
  %dirty = and i64 %flags, {_HOST_DIRTY | _DEVICE_DIRTY}
  %both = icmp eq i64 %dirty, {_HOST_DIRTY | _DEVICE_DIRTY}
  br i1 %both, label %conflict, label %fine
conflict:
  call void @hl.cuda.say(ptr %context, ptr @hl.cuda.both_dirty)
  ret i32 {BOTH_DIRTY}
fine:
  %ours = icmp eq ptr %interface, @hl.cuda.interface
  %known = or i1 %ours, %none
  br i1 %known, label %good, label %foreign
foreign:
  call void @hl.cuda.say(ptr %context, ptr @hl.cuda.other_interface)
  ret i32 {OTHER_INTERFACE}
good:
  ret i32 0
}}

; Memory for a buffer that has none, in our context.
define linkonce_odr hidden i32 @hl.cuda.provide(ptr %context, ptr %buffer) nounwind {{
  %shape.p = alloca %hl.shape
  %address.p = alloca i64
  %n.p = getelementptr %hl.buffer, ptr %buffer, i32 0, i32 7
  %n = load i32, ptr %n.p
  %rows = alloca %hl.row, i32 %n
  %device = load i64, ptr %buffer
  %has = icmp ne i64 %device, 0
  br i1 %has, label %done, label %measure
measure:
  %backwards = call i1 @hl.cuda.shape(ptr %buffer, ptr %buffer, ptr %rows, ptr %shape.p)
  br i1 %backwards, label %refuse, label %ask
refuse:
  call void @hl.cuda.say(ptr %context, ptr @hl.cuda.backwards)
  ret i32 {DEVICE_MALLOC}
ask:
  %span = load i64, ptr %shape.p
  %some = icmp ugt i64 %span, 1
  %size = select i1 %some, i64 %span, i64 1
  %code = call i32 @hl.cuda.malloc(ptr %context, i64 %size, ptr %address.p)
  %bad = icmp ne i32 %code, 0
  br i1 %bad, label %failed, label %fine
failed:
  ret i32 %code
fine:
  %address = load i64, ptr %address.p
  store i64 %address, ptr %buffer
  %interface.p = getelementptr %hl.buffer, ptr %buffer, i32 0, i32 1
  store ptr @hl.cuda.interface, ptr %interface.p
  br label %done
done:
  ret i32 0
}}

define weak i32 @halide_device_malloc(ptr %context, ptr %buffer, ptr %interface) nounwind {{
  %checked = call i32 @hl.cuda.check(ptr %context, ptr %buffer)
  %wrong = icmp ne i32 %checked, 0
  br i1 %wrong, label %away, label %enter
away:
  ret i32 %checked
enter:
  %entered = call i32 @hl.cuda.enter(ptr %context)
  %bad = icmp ne i32 %entered, 0
  br i1 %bad, label %out, label %run
out:
  ret i32 %entered
run:
  %l = call i32 @pthread_mutex_lock(ptr @hl.cuda.copying)
  %code = call i32 @hl.cuda.provide(ptr %context, ptr %buffer)
  %u = call i32 @pthread_mutex_unlock(ptr @hl.cuda.copying)
  call void @hl.cuda.leave()
  ret i32 %code
}}

define linkonce_odr hidden void @hl.cuda.detach(ptr %buffer) nounwind {{
  store i64 0, ptr %buffer
  %interface.p = getelementptr %hl.buffer, ptr %buffer, i32 0, i32 1
  store ptr null, ptr %interface.p
  %flags.p = getelementptr %hl.buffer, ptr %buffer, i32 0, i32 3
  %flags = load i64, ptr %flags.p
  %left = and i64 %flags, {~_DEVICE_DIRTY}
  store i64 %left, ptr %flags.p
  ret void
}}

define weak i32 @halide_device_free(ptr %context, ptr %buffer) nounwind {{
  %device = load i64, ptr %buffer
  %none = icmp eq i64 %device, 0
  br i1 %none, label %nothing, label %check
nothing:
  call void @hl.cuda.detach(ptr %buffer)
  ret i32 0
check:
  %checked = call i32 @hl.cuda.check(ptr %context, ptr %buffer)
  %wrong = icmp ne i32 %checked, 0
  br i1 %wrong, label %away, label %give
away:
  ret i32 %checked
give:
  %code = call i32 @hl.cuda.free(ptr %context, i64 %device)
  call void @hl.cuda.detach(ptr %buffer)
  ret i32 %code
}}

define weak void @halide_device_free_as_destructor(ptr %context, ptr %buffer) nounwind {{
  %ignored = call i32 @halide_device_free(ptr %context, ptr %buffer)
  ret void
}}

; Copies what one side has changed, where the mark %mark says so.
define linkonce_odr hidden i32 @hl.cuda.bring(ptr %context, ptr %buffer, i32 %way, i64 %mark) nounwind {{
  %checked = call i32 @hl.cuda.check(ptr %context, ptr %buffer)
  %wrong = icmp ne i32 %checked, 0
  br i1 %wrong, label %away, label %look
away:
  ret i32 %checked
look:
  %flags.p = getelementptr %hl.buffer, ptr %buffer, i32 0, i32 3
  %flags = load i64, ptr %flags.p
  %marked = and i64 %flags, %mark
  %due = icmp ne i64 %marked, 0
  %down = icmp eq i32 %way, {TO_DEVICE}
  %device0 = load i64, ptr %buffer
  %absent = icmp eq i64 %device0, 0
  %provides = and i1 %down, %absent
  %work = or i1 %due, %provides
  br i1 %work, label %enter, label %nothing
nothing:
  ret i32 0
enter:
  %entered = call i32 @hl.cuda.enter(ptr %context)
  %bad = icmp ne i32 %entered, 0
  br i1 %bad, label %out, label %run
out:
  ret i32 %entered
run:
  br i1 %provides, label %provide, label %ready
provide:
  %provided = call i32 @hl.cuda.provide(ptr %context, ptr %buffer)
  %short = icmp ne i32 %provided, 0
  br i1 %short, label %end, label %ready
ready:
  br i1 %due, label %copy, label %end
copy:
  %device = load i64, ptr %buffer
  %lost = icmp eq i64 %device, 0
  br i1 %lost, label %gone, label %go
gone:
  call void @hl.cuda.say(ptr %context, ptr @hl.cuda.interface_alone)
  br label %end
go:
  %host.p = getelementptr %hl.buffer, ptr %buffer, i32 0, i32 2
  %host = load ptr, ptr %host.p
  %copied = call i32 @hl.cuda.copy(ptr %context, ptr %buffer, i32 %way, i64 %device, ptr %host)
  %failed = icmp ne i32 %copied, 0
  br i1 %failed, label %end, label %settle
settle:
  %flags2 = load i64, ptr %flags.p
  %inverse = xor i64 %mark, -1
  %left = and i64 %flags2, %inverse
  store i64 %left, ptr %flags.p
  br label %end
end:
  %code = phi i32 [ %provided, %provide ], [ 0, %ready ], [ {INTERFACE_ALONE}, %gone ], [ %copied, %go ], [ 0, %settle ]
  call void @hl.cuda.leave()
  ret i32 %code
}}

define weak i32 @halide_copy_to_device(ptr %context, ptr %buffer, ptr %interface) nounwind {{
  %l = call i32 @pthread_mutex_lock(ptr @hl.cuda.copying)
  %code = call i32 @hl.cuda.bring(ptr %context, ptr %buffer, i32 {TO_DEVICE}, i64 {_HOST_DIRTY})
  %u = call i32 @pthread_mutex_unlock(ptr @hl.cuda.copying)
  ret i32 %code
}}

define weak i32 @halide_copy_to_host(ptr %context, ptr %buffer) nounwind {{
  %l = call i32 @pthread_mutex_lock(ptr @hl.cuda.copying)
  %code = call i32 @hl.cuda.bring(ptr %context, ptr %buffer, i32 {TO_HOST}, i64 {_DEVICE_DIRTY})
  %u = call i32 @pthread_mutex_unlock(ptr @hl.cuda.copying)
  ret i32 %code
}}

; Waits for what was put into the caller's stream, or for all of the context; tells what failed of that.
define weak i32 @halide_device_sync(ptr %context, ptr %buffer) nounwind {{
  %stream.p = alloca ptr
  %entered = call i32 @hl.cuda.enter(ptr %context)
  %bad = icmp ne i32 %entered, 0
  br i1 %bad, label %out, label %ask
out:
  ret i32 %entered
ask:
  %asked = call i32 @hl.cuda.stream(ptr %context, ptr %stream.p)
  %no.stream = icmp ne i32 %asked, 0
  br i1 %no.stream, label %end, label %which
which:
  %stream = load ptr, ptr %stream.p
  %own = icmp eq ptr %stream, null
  br i1 %own, label %all, label %one
all:
  %f = load ptr, ptr $cuCtxSynchronize
  %s1 = call i32 %f()
  br label %check
one:
  %g = load ptr, ptr $cuStreamSynchronize
  %s2 = call i32 %g(ptr %stream)
  br label %check
check:
  %s = phi i32 [ %s1, %all ], [ %s2, %one ]
  %name = phi ptr [ $name.cuCtxSynchronize, %all ], [ $name.cuStreamSynchronize, %one ]
  %failed = icmp ne i32 %s, 0
  br i1 %failed, label %report, label %end
report:
  %r = call i32 @hl.cuda.failed(ptr %context, ptr %name, i32 %s, i32 {SYNC})
  br label %end
end:
  %code = phi i32 [ %asked, %ask ], [ 0, %check ], [ %r, %report ]
  call void @hl.cuda.leave()
  ret i32 %code
}}

define weak i32 @halide_device_sync_global(ptr %context, ptr %interface) nounwind {{
  %code = call i32 @halide_device_sync(ptr %context, ptr null)
  ret i32 %code
}}

define weak i32 @halide_device_and_host_malloc(ptr %context, ptr %buffer, ptr %interface) nounwind {{
  %shape.p = alloca %hl.shape
  %place.p = alloca ptr
  %n.p = getelementptr %hl.buffer, ptr %buffer, i32 0, i32 7
  %n = load i32, ptr %n.p
  %rows = alloca %hl.row, i32 %n
  %backwards = call i1 @hl.cuda.shape(ptr %buffer, ptr %buffer, ptr %rows, ptr %shape.p)
  br i1 %backwards, label %refuse, label %measure
refuse:
  call void @hl.cuda.say(ptr %context, ptr @hl.cuda.backwards)
  ret i32 {DEVICE_MALLOC}
measure:
  %span = load i64, ptr %shape.p
  %some = icmp ugt i64 %span, 1
  %size = select i1 %some, i64 %span, i64 1
  %entered = call i32 @hl.cuda.enter(ptr %context)
  %bad = icmp ne i32 %entered, 0
  br i1 %bad, label %out, label %pin
out:
  ret i32 %entered
pin:
  ; Memory that the system does not move is copied faster.
  %f = load ptr, ptr $cuMemAllocHost_v2
  %s = call i32 %f(ptr %place.p, i64 %size)
  %none = icmp ne i32 %s, 0
  br i1 %none, label %no.host, label %ask
no.host:
  %r = call i32 @hl.cuda.failed(ptr %context, ptr $name.cuMemAllocHost_v2, i32 %s, i32 {OUT_OF_MEMORY})
  call void @hl.cuda.leave()
  ret i32 %r
ask:
  %host = load ptr, ptr %place.p
  %host.p = getelementptr %hl.buffer, ptr %buffer, i32 0, i32 2
  store ptr %host, ptr %host.p
  %code = call i32 @halide_device_malloc(ptr %context, ptr %buffer, ptr %interface)
  %short = icmp ne i32 %code, 0
  br i1 %short, label %back, label %done
back:
  store ptr null, ptr %host.p
  %g = load ptr, ptr $cuMemFreeHost
  %ignored = call i32 %g(ptr %host)
  br label %done
done:
  call void @hl.cuda.leave()
  ret i32 %code
}}

define weak i32 @halide_device_and_host_free(ptr %context, ptr %buffer) nounwind {{
entry:
  %code = call i32 @halide_device_free(ptr %context, ptr %buffer)
  %host.p = getelementptr %hl.buffer, ptr %buffer, i32 0, i32 2
  %host = load ptr, ptr %host.p
  %none = icmp eq ptr %host, null
  br i1 %none, label %end, label %enter
enter:
  %entered = call i32 @hl.cuda.enter(ptr %context)
  %bad = icmp ne i32 %entered, 0
  br i1 %bad, label %out, label %give
out:
  ret i32 %entered
give:
  %f = load ptr, ptr $cuMemFreeHost
  %s = call i32 %f(ptr %host)
  call void @hl.cuda.leave()
  store ptr null, ptr %host.p
  %failed = icmp ne i32 %s, 0
  br i1 %failed, label %report, label %end
report:
  %r = call i32 @hl.cuda.failed(ptr %context, ptr $name.cuMemFreeHost, i32 %s, i32 {DEVICE_FREE})
  br label %end
end:
  %status = phi i32 [ %code, %entry ], [ %code, %give ], [ %r, %report ]
  %flags.p = getelementptr %hl.buffer, ptr %buffer, i32 0, i32 3
  %flags = load i64, ptr %flags.p
  %left = and i64 %flags, {~(_HOST_DIRTY | _DEVICE_DIRTY)}
  store i64 %left, ptr %flags.p
  ret i32 %status
}}

; Has %part be the memory of %whole from byte %offset on.
define linkonce_odr hidden void @hl.cuda.part(ptr %whole, ptr %part, i64 %offset) nounwind {{
  %device = load i64, ptr %whole
  %none = icmp eq i64 %device, 0
  %there = add i64 %device, %offset
  %address = select i1 %none, i64 0, i64 %there
  store i64 %address, ptr %part
  %interface.p = getelementptr %hl.buffer, ptr %whole, i32 0, i32 1
  %interface = load ptr, ptr %interface.p
  %its.p = getelementptr %hl.buffer, ptr %part, i32 0, i32 1
  store ptr %interface, ptr %its.p
  %flags.p = getelementptr %hl.buffer, ptr %whole, i32 0, i32 3
  %flags = load i64, ptr %flags.p
  %dirty = and i64 %flags, {_DEVICE_DIRTY}
  %its.flags.p = getelementptr %hl.buffer, ptr %part, i32 0, i32 3
  %its.flags = load i64, ptr %its.flags.p
  %kept = and i64 %its.flags, {~_DEVICE_DIRTY}
  %set = or i64 %kept, %dirty
  store i64 %set, ptr %its.flags.p
  ret void
}}

; Bytes from the least coordinate of %whole to the coordinate %at in dimension %d.
define linkonce_odr hidden i64 @hl.cuda.offset(ptr %whole, i64 %d, i32 %at) nounwind {{
  %dims.p = getelementptr %hl.buffer, ptr %whole, i32 0, i32 8
  %dims = load ptr, ptr %dims.p
  %min.p = getelementptr %hl.dim, ptr %dims, i64 %d, i32 0
  %min32 = load i32, ptr %min.p
  %stride.p = getelementptr %hl.dim, ptr %dims, i64 %d, i32 2
  %stride32 = load i32, ptr %stride.p
  %bits.p = getelementptr %hl.buffer, ptr %whole, i32 0, i32 5
  %bits8 = load i8, ptr %bits.p
  %bits = zext i8 %bits8 to i64
  %bits7 = add i64 %bits, 7
  %element = lshr i64 %bits7, 3
  %min = sext i32 %min32 to i64
  %place = sext i32 %at to i64
  %stride = sext i32 %stride32 to i64
  %steps = sub i64 %place, %min
  %elements = mul i64 %steps, %stride
  %offset = mul i64 %elements, %element
  ret i64 %offset
}}

define weak i32 @halide_device_crop(ptr %context, ptr %whole, ptr %part) nounwind {{
entry:
  %n.p = getelementptr %hl.buffer, ptr %whole, i32 0, i32 7
  %n32 = load i32, ptr %n.p
  %n = sext i32 %n32 to i64
  %dims.p = getelementptr %hl.buffer, ptr %part, i32 0, i32 8
  %dims = load ptr, ptr %dims.p
  br label %head
head:
  %d = phi i64 [ 0, %entry ], [ %d1, %one ]
  %sum = phi i64 [ 0, %entry ], [ %sum1, %one ]
  %more = icmp slt i64 %d, %n
  br i1 %more, label %one, label %done
one:
  %min.p = getelementptr %hl.dim, ptr %dims, i64 %d, i32 0
  %min = load i32, ptr %min.p
  %offset = call i64 @hl.cuda.offset(ptr %whole, i64 %d, i32 %min)
  %sum1 = add i64 %sum, %offset
  %d1 = add i64 %d, 1
  br label %head
done:
  call void @hl.cuda.part(ptr %whole, ptr %part, i64 %sum)
  ret i32 0
}}

define weak i32 @halide_device_slice(ptr %context, ptr %whole, i32 %dimension, i32 %position, ptr %part) nounwind {{
  %d = sext i32 %dimension to i64
  %offset = call i64 @hl.cuda.offset(ptr %whole, i64 %d, i32 %position)
  call void @hl.cuda.part(ptr %whole, ptr %part, i64 %offset)
  ret i32 0
}}

define weak i32 @halide_device_release_crop(ptr %context, ptr %part) nounwind {{
  call void @hl.cuda.detach(ptr %part)
  ret i32 0
}}

define weak i32 @halide_cuda_wrap_device_ptr(ptr %context, ptr %buffer, i64 %address) nounwind {{
  %device = load i64, ptr %buffer
  %has = icmp ne i64 %device, 0
  br i1 %has, label %refuse, label %take
refuse:
  call void @hl.cuda.say(ptr %context, ptr @hl.cuda.taken)
  ret i32 -1
take:
  store i64 %address, ptr %buffer
  %none = icmp eq i64 %address, 0
  %interface = select i1 %none, ptr null, ptr @hl.cuda.interface
  %interface.p = getelementptr %hl.buffer, ptr %buffer, i32 0, i32 1
  store ptr %interface, ptr %interface.p
  ret i32 0
}}

define weak i32 @halide_device_wrap_native(ptr %context, ptr %buffer, i64 %address, ptr %interface) nounwind {{
  %code = call i32 @halide_cuda_wrap_device_ptr(ptr %context, ptr %buffer, i64 %address)
  ret i32 %code
}}

define weak i32 @halide_device_detach_native(ptr %context, ptr %buffer) nounwind {{
  call void @hl.cuda.detach(ptr %buffer)
  ret i32 0
}}

define weak i32 @halide_cuda_detach_device_ptr(ptr %context, ptr %buffer) nounwind {{
  call void @hl.cuda.detach(ptr %buffer)
  ret i32 0
}}

define weak i64 @halide_cuda_get_device_ptr(ptr %context, ptr %buffer) nounwind {{
  %device = load i64, ptr %buffer
  ret i64 %device
}}

; 0.0 where there is no driver, which is no error.
define weak i32 @halide_cuda_compute_capability(ptr %context, ptr %major, ptr %minor) nounwind {{
  store i32 0, ptr %major
  store i32 0, ptr %minor
  %ready = call i32 @hl.cuda.ready(ptr @hl.quiet)
  %absent = icmp ne i32 %ready, 0
  br i1 %absent, label %none, label %ask
none:
  ret i32 0
ask:
  %device = load i32, ptr @hl.cuda.device
  %f = load ptr, ptr $cuDeviceGetAttribute
  %s1 = call i32 %f(ptr %major, i32 {_CAPABILITY[0]}, i32 %device)
  %s2 = call i32 %f(ptr %minor, i32 {_CAPABILITY[1]}, i32 %device)
  %s = or i32 %s1, %s2
  %bad = icmp ne i32 %s, 0
  br i1 %bad, label %failed, label %none
failed:
  %r = call i32 @hl.cuda.failed(ptr %context, ptr $name.cuDeviceGetAttribute, i32 %s, i32 {DEVICE_ERROR})
  ret i32 %r
}}

; Whether the memory of two buffers overlaps, on either side.
define linkonce_odr hidden i1 @hl.cuda.meet(ptr %a, ptr %b) nounwind {{
  %shape.a = alloca %hl.shape
  %shape.b = alloca %hl.shape
  %na.p = getelementptr %hl.buffer, ptr %a, i32 0, i32 7
  %na = load i32, ptr %na.p
  %rows.a = alloca %hl.row, i32 %na
  %nb.p = getelementptr %hl.buffer, ptr %b, i32 0, i32 7
  %nb = load i32, ptr %nb.p
  %rows.b = alloca %hl.row, i32 %nb
  %odd.a = call i1 @hl.cuda.shape(ptr %a, ptr %a, ptr %rows.a, ptr %shape.a)
  %odd.b = call i1 @hl.cuda.shape(ptr %b, ptr %b, ptr %rows.b, ptr %shape.b)
  ; Those that run backwards are refused later.
  %odd = or i1 %odd.a, %odd.b
  br i1 %odd, label %no, label %compare
no:
  ret i1 false
compare:
  %size.a = load i64, ptr %shape.a
  %size.b = load i64, ptr %shape.b
  %host.a.p = getelementptr %hl.buffer, ptr %a, i32 0, i32 2
  %host.b.p = getelementptr %hl.buffer, ptr %b, i32 0, i32 2
  %host.a = load i64, ptr %host.a.p
  %host.b = load i64, ptr %host.b.p
  %hosts = call i1 @hl.cuda.overlap(i64 %host.a, i64 %size.a, i64 %host.b, i64 %size.b)
  %device.a = load i64, ptr %a
  %device.b = load i64, ptr %b
  %devices = call i1 @hl.cuda.overlap(i64 %device.a, i64 %size.a, i64 %device.b, i64 %size.b)
  %either = or i1 %hosts, %devices
  ret i1 %either
}}

define linkonce_odr hidden i1 @hl.cuda.overlap(i64 %a, i64 %size.a, i64 %b, i64 %size.b) nounwind {{
  %end.a = add i64 %a, %size.a
  %end.b = add i64 %b, %size.b
  %p = icmp ult i64 %a, %end.b
  %q = icmp ult i64 %b, %end.a
  %is.a = icmp ne i64 %a, 0
  %is.b = icmp ne i64 %b, 0
  %within = and i1 %p, %q
  %both = and i1 %is.a, %is.b
  %meet = and i1 %within, %both
  ret i1 %meet
}}
""")
