"""halide_buffer_copy (HalideRuntime.h), as LLVM IR: from where the source's newest values are to either side of another
buffer, whose box lies within the source's."""

from __future__ import annotations

from halide_core.runtime.cuda.copies import ON_DEVICE, ON_HOST, TO_DEVICE, TO_HOST
from halide_core.runtime.cuda.driver import DEVICE_COPY, HOST_IS_NULL, OTHER_INTERFACE, constant, linked

# halide_buffer_flags.
_HOST_DIRTY, _DEVICE_DIRTY = 1, 2
_NAME = "halide_buffer_copy"

BUFFER_COPY = linked(f"""
{constant("hl.cuda.unlike", f"{_NAME}: the buffers have other numbers of dimensions, or elements of other sizes")}
{constant("hl.cuda.beyond", f"{_NAME}: the destination is no part of the source")}

; Bytes from the first element of %from to the least coordinate of %to, whose box lies within; negative where it does
; not.
define linkonce_odr hidden i64 @hl.cuda.inner(ptr %from, ptr %to) nounwind {{
entry:
  %n.p = getelementptr %hl.buffer, ptr %to, i32 0, i32 7
  %n32 = load i32, ptr %n.p
  %n = sext i32 %n32 to i64
  %from.dims.p = getelementptr %hl.buffer, ptr %from, i32 0, i32 8
  %from.dims = load ptr, ptr %from.dims.p
  %to.dims.p = getelementptr %hl.buffer, ptr %to, i32 0, i32 8
  %to.dims = load ptr, ptr %to.dims.p
  br label %head
head:
  %d = phi i64 [ 0, %entry ], [ %d1, %inside ]
  %sum = phi i64 [ 0, %entry ], [ %sum1, %inside ]
  %more = icmp slt i64 %d, %n
  br i1 %more, label %one, label %done
one:
  %low.p = getelementptr %hl.dim, ptr %to.dims, i64 %d, i32 0
  %low = load i32, ptr %low.p
  %extent.p = getelementptr %hl.dim, ptr %to.dims, i64 %d, i32 1
  %extent = load i32, ptr %extent.p
  %outer.low.p = getelementptr %hl.dim, ptr %from.dims, i64 %d, i32 0
  %outer.low = load i32, ptr %outer.low.p
  %outer.extent.p = getelementptr %hl.dim, ptr %from.dims, i64 %d, i32 1
  %outer.extent = load i32, ptr %outer.extent.p
  %a = sext i32 %low to i64
  %b = sext i32 %extent to i64
  %c = sext i32 %outer.low to i64
  %e = sext i32 %outer.extent to i64
  %end = add i64 %a, %b
  %outer.end = add i64 %c, %e
  %below = icmp slt i64 %a, %c
  %above = icmp sgt i64 %end, %outer.end
  %out = or i1 %below, %above
  br i1 %out, label %outside, label %inside
outside:
  ret i64 -1
inside:
  %offset = call i64 @hl.cuda.offset(ptr %from, i64 %d, i32 %low)
  %sum1 = add i64 %sum, %offset
  %d1 = add i64 %d, 1
  br label %head
done:
  ret i64 %sum
}}

; Whether the buffers have as many dimensions, and elements of as many bytes.
define linkonce_odr hidden i1 @hl.cuda.alike(ptr %a, ptr %b) nounwind {{
  %na.p = getelementptr %hl.buffer, ptr %a, i32 0, i32 7
  %na = load i32, ptr %na.p
  %nb.p = getelementptr %hl.buffer, ptr %b, i32 0, i32 7
  %nb = load i32, ptr %nb.p
  %ba.p = getelementptr %hl.buffer, ptr %a, i32 0, i32 5
  %ba = load i8, ptr %ba.p
  %bb.p = getelementptr %hl.buffer, ptr %b, i32 0, i32 5
  %bb = load i8, ptr %bb.p
  %wa = zext i8 %ba to i32
  %wb = zext i8 %bb to i32
  %ra = add i32 %wa, 7
  %rb = add i32 %wb, 7
  %ea = lshr i32 %ra, 3
  %eb = lshr i32 %rb, 3
  %p = icmp eq i32 %na, %nb
  %q = icmp eq i32 %ea, %eb
  %same = and i1 %p, %q
  ret i1 %same
}}

; What %to holds is then newest on the side that it was copied to, and of no use on the other one.
define linkonce_odr hidden void @hl.cuda.settle(ptr %to, i1 %on.device) nounwind {{
  %flags.p = getelementptr %hl.buffer, ptr %to, i32 0, i32 3
  %flags = load i64, ptr %flags.p
  %clean = and i64 %flags, {~(_HOST_DIRTY | _DEVICE_DIRTY)}
  %mark = select i1 %on.device, i64 {_DEVICE_DIRTY}, i64 {_HOST_DIRTY}
  %marked = or i64 %clean, %mark
  store i64 %marked, ptr %flags.p
  ret void
}}

; Copies in our context, where a device takes part.
define linkonce_odr hidden i32 @hl.cuda.copy_part(ptr %context, ptr %from, ptr %to, i1 %on.device, i64 %offset)
    nounwind {{
entry:
  %device = load i64, ptr %from
  %host.p = getelementptr %hl.buffer, ptr %from, i32 0, i32 2
  %host = load i64, ptr %host.p
  %flags.p = getelementptr %hl.buffer, ptr %from, i32 0, i32 3
  %flags = load i64, ptr %flags.p
  %has.none = icmp eq i64 %device, 0
  %is.host = icmp ne i64 %host, 0
  %marked = and i64 %flags, {_HOST_DIRTY}
  %newer0 = icmp ne i64 %marked, 0
  %newer = and i1 %newer0, %is.host
  %from.host = or i1 %has.none, %newer
  br i1 %on.device, label %provide, label %ready
provide:
  %provided = call i32 @hl.cuda.provide(ptr %context, ptr %to)
  %short = icmp ne i32 %provided, 0
  br i1 %short, label %no.memory, label %ready
no.memory:
  ret i32 %provided
ready:
  %to.device = load i64, ptr %to
  %to.host.p = getelementptr %hl.buffer, ptr %to, i32 0, i32 2
  %to.host = load i64, ptr %to.host.p
  %base = select i1 %from.host, i64 %host, i64 %device
  %target = select i1 %on.device, i64 %to.device, i64 %to.host
  %nothing = icmp eq i64 %base, 0
  %nowhere = icmp eq i64 %target, 0
  %missing = or i1 %nothing, %nowhere
  br i1 %missing, label %refuse, label %run
refuse:
  call void @hl.cuda.say(ptr %context, ptr @hl.cuda.no_host)
  ret i32 {HOST_IS_NULL}
run:
  %down = select i1 %from.host, i32 {TO_DEVICE}, i32 {ON_DEVICE}
  %up = select i1 %from.host, i32 {ON_HOST}, i32 {TO_HOST}
  %way = select i1 %on.device, i32 %down, i32 %up
  %start = add i64 %base, %offset
  %code = call i32 @hl.cuda.transfer(ptr %context, ptr %from, ptr %to, i32 %way, i64 %start, i64 %target)
  %bad = icmp ne i32 %code, 0
  br i1 %bad, label %end, label %settle
settle:
  call void @hl.cuda.settle(ptr %to, i1 %on.device)
  br label %end
end:
  ret i32 %code
}}

define linkonce_odr hidden i32 @hl.cuda.buffer_copy(ptr %context, ptr %from, ptr %interface, ptr %to) nounwind {{
  %its.p = getelementptr %hl.buffer, ptr %to, i32 0, i32 1
  %its = load ptr, ptr %its.p
  %on.device = icmp ne ptr %interface, null
  %ours = icmp eq ptr %interface, @hl.cuda.interface
  %has = icmp ne ptr %its, null
  %foreign = icmp ne ptr %its, @hl.cuda.interface
  %other0 = and i1 %has, %foreign
  %strange = xor i1 %ours, true
  %other = or i1 %other0, %strange
  %wrong.kind = and i1 %on.device, %other
  br i1 %wrong.kind, label %kind, label %check
kind:
  call void @hl.cuda.say(ptr %context, ptr @hl.cuda.other_interface)
  ret i32 {OTHER_INTERFACE}
check:
  %checked = call i32 @hl.cuda.check(ptr %context, ptr %from)
  %wrong = icmp ne i32 %checked, 0
  br i1 %wrong, label %away, label %compare
away:
  ret i32 %checked
compare:
  %alike = call i1 @hl.cuda.alike(ptr %from, ptr %to)
  br i1 %alike, label %place, label %unlike
unlike:
  call void @hl.cuda.say(ptr %context, ptr @hl.cuda.unlike)
  ret i32 {DEVICE_COPY}
place:
  %offset = call i64 @hl.cuda.inner(ptr %from, ptr %to)
  %beyond = icmp slt i64 %offset, 0
  br i1 %beyond, label %outside, label %sides
outside:
  call void @hl.cuda.say(ptr %context, ptr @hl.cuda.beyond)
  ret i32 {DEVICE_COPY}
sides:
  %device = load i64, ptr %from
  %on.host = icmp eq i64 %device, 0
  %target.host = xor i1 %on.device, true
  %no.device = and i1 %on.host, %target.host
  br i1 %no.device, label %here, label %enter
here:
  %code1 = call i32 @hl.cuda.copy_part(ptr %context, ptr %from, ptr %to, i1 false, i64 %offset)
  ret i32 %code1
enter:
  %entered = call i32 @hl.cuda.enter(ptr %context)
  %bad = icmp ne i32 %entered, 0
  br i1 %bad, label %out, label %run
out:
  ret i32 %entered
run:
  %code2 = call i32 @hl.cuda.copy_part(ptr %context, ptr %from, ptr %to, i1 %on.device, i64 %offset)
  call void @hl.cuda.leave()
  ret i32 %code2
}}

define weak i32 @halide_buffer_copy(ptr %context, ptr %from, ptr %interface, ptr %to) nounwind {{
  %itself = icmp eq ptr %from, %to
  br i1 %itself, label %same, label %copy
same:
  ; A buffer's own other side.
  %none = icmp eq ptr %interface, null
  br i1 %none, label %up, label %down
up:
  %code1 = call i32 @halide_copy_to_host(ptr %context, ptr %to)
  ret i32 %code1
down:
  %code2 = call i32 @halide_copy_to_device(ptr %context, ptr %to, ptr %interface)
  ret i32 %code2
copy:
  %l = call i32 @pthread_mutex_lock(ptr @hl.cuda.copying)
  %code3 = call i32 @hl.cuda.buffer_copy(ptr %context, ptr %from, ptr %interface, ptr %to)
  %u = call i32 @pthread_mutex_unlock(ptr @hl.cuda.copying)
  ret i32 %code3
}}
""")
