"""Copies of what buffers hold, as LLVM IR: pieces without gaps, or rows of them in one call, between the host and a
device, within either, and between buffers that lie in memory in different ways."""

from __future__ import annotations

from halide_core.runtime.cuda.driver import (
    COPY_TO_DEVICE,
    COPY_TO_HOST,
    DEVICE_COPY,
    HOST_IS_NULL,
    constant,
    linked,
)

# Bytes between rows that the driver copies in one call.
_MOST_PITCH = (1 << 31) - 1
# CUmemorytype.
_HOST, _DEVICE = 1, 2

TO_DEVICE, TO_HOST, ON_HOST, ON_DEVICE = range(4)
"""The ways of a copy."""

COPIES = linked(f"""
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
%hl.buffer = type {{ i64, ptr, ptr, i64, i8, i8, i16, i32, ptr, ptr }}
%hl.dim = type {{ i32, i32, i32, i32 }}
; How a buffer lies in memory: bytes from the first to the last element, bytes of a piece without gaps, and the first
; and the end of the dimensions that such pieces lie along, in an array of strides in bytes, where a copy comes from and
; where it goes to, and extents.
%hl.shape = type {{ i64, i64, i64, i64 }}
%hl.row = type {{ i64, i64, i64 }}
{constant("hl.cuda.backwards", "A buffer with a negative stride cannot be copied to a device")}
{constant("hl.cuda.no_host", "A buffer without memory on the host cannot be copied from or to it")}

; Describes %buffer and how its elements lie in %from, which may be the same; %rows has room for all dimensions.  The
; result says whether one runs backwards.
define linkonce_odr hidden i1 @hl.cuda.shape(ptr %from, ptr %buffer, ptr %rows, ptr %shape) nounwind {{
entry:
  %bits.p = getelementptr %hl.buffer, ptr %buffer, i32 0, i32 5
  %bits8 = load i8, ptr %bits.p
  %bits = zext i8 %bits8 to i64
  %bits7 = add i64 %bits, 7
  %element = lshr i64 %bits7, 3
  %n.p = getelementptr %hl.buffer, ptr %buffer, i32 0, i32 7
  %n32 = load i32, ptr %n.p
  %n = sext i32 %n32 to i64
  %dims.p = getelementptr %hl.buffer, ptr %buffer, i32 0, i32 8
  %dims = load ptr, ptr %dims.p
  %from.dims.p = getelementptr %hl.buffer, ptr %from, i32 0, i32 8
  %from.dims = load ptr, ptr %from.dims.p
  br label %head
head:
  %d = phi i64 [ 0, %entry ], [ %d1, %next ]
  %count = phi i64 [ 0, %entry ], [ %count.next, %next ]
  %span = phi i64 [ %element, %entry ], [ %span.next, %next ]
  %more = icmp slt i64 %d, %n
  br i1 %more, label %one, label %join
one:
  %extent.p = getelementptr %hl.dim, ptr %dims, i64 %d, i32 1
  %extent32 = load i32, ptr %extent.p
  %extent = sext i32 %extent32 to i64
  %empty = icmp sle i64 %extent, 0
  br i1 %empty, label %nothing, label %some
nothing:
  store %hl.shape zeroinitializer, ptr %shape
  ret i1 false
some:
  %single = icmp eq i64 %extent, 1
  br i1 %single, label %next, label %kept
kept:
  %stride.p = getelementptr %hl.dim, ptr %dims, i64 %d, i32 2
  %stride32 = load i32, ptr %stride.p
  %stride0 = sext i32 %stride32 to i64
  %stride = mul i64 %stride0, %element
  %from.stride.p = getelementptr %hl.dim, ptr %from.dims, i64 %d, i32 2
  %from.stride32 = load i32, ptr %from.stride.p
  %from.stride0 = sext i32 %from.stride32 to i64
  %from.stride = mul i64 %from.stride0, %element
  %either = or i64 %stride, %from.stride
  %backwards = icmp slt i64 %either, 0
  br i1 %backwards, label %refuse, label %sort
refuse:
  ret i1 true
sort:
  %last = sub i64 %extent, 1
  %reach = mul i64 %last, %stride
  %longer = add i64 %span, %reach
  br label %place
place:
  %k = phi i64 [ %count, %sort ], [ %k1, %shift ]
  %least = icmp eq i64 %k, 0
  br i1 %least, label %put, label %compare
compare:
  %k1 = sub i64 %k, 1
  %before = getelementptr %hl.row, ptr %rows, i64 %k1
  %row = load %hl.row, ptr %before
  %its = extractvalue %hl.row %row, 1
  %further = icmp sgt i64 %its, %stride
  br i1 %further, label %shift, label %put
shift:
  %up = getelementptr %hl.row, ptr %rows, i64 %k
  store %hl.row %row, ptr %up
  br label %place
put:
  %at = getelementptr %hl.row, ptr %rows, i64 %k
  %r0 = insertvalue %hl.row undef, i64 %from.stride, 0
  %r1 = insertvalue %hl.row %r0, i64 %stride, 1
  %r2 = insertvalue %hl.row %r1, i64 %extent, 2
  store %hl.row %r2, ptr %at
  %count1 = add i64 %count, 1
  br label %next
next:
  %count.next = phi i64 [ %count, %some ], [ %count1, %put ]
  %span.next = phi i64 [ %span, %some ], [ %longer, %put ]
  %d1 = add i64 %d, 1
  br label %head
join:
  ; Dimensions that lie one behind the other are one piece.
  %first = phi i64 [ 0, %head ], [ %first1, %joined ]
  %piece = phi i64 [ %element, %head ], [ %longer.piece, %joined ]
  %rest = icmp slt i64 %first, %count
  br i1 %rest, label %touch, label %done
touch:
  %next.row = getelementptr %hl.row, ptr %rows, i64 %first
  %r = load %hl.row, ptr %next.row
  %rf = extractvalue %hl.row %r, 0
  %rt = extractvalue %hl.row %r, 1
  %re = extractvalue %hl.row %r, 2
  %df = icmp eq i64 %rf, %piece
  %dt = icmp eq i64 %rt, %piece
  %dense = and i1 %df, %dt
  br i1 %dense, label %joined, label %done
joined:
  %longer.piece = mul i64 %piece, %re
  %first1 = add i64 %first, 1
  br label %join
done:
  %s0 = insertvalue %hl.shape undef, i64 %span, 0
  %s1 = insertvalue %hl.shape %s0, i64 %piece, 1
  %s2 = insertvalue %hl.shape %s1, i64 %first, 2
  %s3 = insertvalue %hl.shape %s2, i64 %count, 3
  store %hl.shape %s3, ptr %shape
  ret i1 false
}}

; Copies bytes without gaps between two addresses, each of the host's or of the device's as the way says.
define linkonce_odr hidden i32 @hl.cuda.move(ptr %context, ptr %stream, i32 %way, i64 %from, i64 %to, i64 %bytes)
    nounwind {{
entry:
  %own = icmp eq ptr %stream, null
  %from.host = inttoptr i64 %from to ptr
  %to.host = inttoptr i64 %to to ptr
  switch i32 %way, label %on_host [ i32 {TO_DEVICE}, label %down  i32 {TO_HOST}, label %up
                                    i32 {ON_DEVICE}, label %across ]
on_host:
  call void @llvm.memcpy.p0.p0.i64(ptr %to.host, ptr %from.host, i64 %bytes, i1 false)
  ret i32 0
down:
  br i1 %own, label %down.now, label %down.later
down.now:
  %f1 = load ptr, ptr $cuMemcpyHtoD_v2
  %s1 = call i32 %f1(i64 %to, ptr %from.host, i64 %bytes)
  br label %check
down.later:
  %f2 = load ptr, ptr $cuMemcpyHtoDAsync_v2
  %s2 = call i32 %f2(i64 %to, ptr %from.host, i64 %bytes, ptr %stream)
  br label %check
up:
  br i1 %own, label %up.now, label %up.later
up.now:
  %f3 = load ptr, ptr $cuMemcpyDtoH_v2
  %s3 = call i32 %f3(ptr %to.host, i64 %from, i64 %bytes)
  br label %check
up.later:
  %f4 = load ptr, ptr $cuMemcpyDtoHAsync_v2
  %s4 = call i32 %f4(ptr %to.host, i64 %from, i64 %bytes, ptr %stream)
  br label %check
across:
  br i1 %own, label %across.now, label %across.later
across.now:
  %f5 = load ptr, ptr $cuMemcpyDtoD_v2
  %s5 = call i32 %f5(i64 %to, i64 %from, i64 %bytes)
  br label %check
across.later:
  %f6 = load ptr, ptr $cuMemcpyDtoDAsync_v2
  %s6 = call i32 %f6(i64 %to, i64 %from, i64 %bytes, ptr %stream)
  br label %check
check:
  %s = phi i32 [ %s1, %down.now ], [ %s2, %down.later ], [ %s3, %up.now ], [ %s4, %up.later ], [ %s5, %across.now ],
      [ %s6, %across.later ]
  %name = phi ptr [ $name.cuMemcpyHtoD_v2, %down.now ], [ $name.cuMemcpyHtoDAsync_v2, %down.later ],
      [ $name.cuMemcpyDtoH_v2, %up.now ], [ $name.cuMemcpyDtoHAsync_v2, %up.later ],
      [ $name.cuMemcpyDtoD_v2, %across.now ], [ $name.cuMemcpyDtoDAsync_v2, %across.later ]
  %bad = icmp ne i32 %s, 0
  br i1 %bad, label %failed, label %fine
failed:
  %code = call i32 @hl.cuda.code_of(i32 %way)
  %r = call i32 @hl.cuda.failed(ptr %context, ptr %name, i32 %s, i32 %code)
  ret i32 %r
fine:
  ret i32 0
}}

; The error that a copy of this kind ends with.
define linkonce_odr hidden i32 @hl.cuda.code_of(i32 %way) nounwind {{
  switch i32 %way, label %between [ i32 {TO_DEVICE}, label %down  i32 {TO_HOST}, label %up ]
down:
  ret i32 {COPY_TO_DEVICE}
up:
  ret i32 {COPY_TO_HOST}
between:
  ret i32 {DEVICE_COPY}
}}

; Says in words 0 to 6 of one side of a CUDA_MEMCPY2D where rows begin and how far they are apart.
define linkonce_odr hidden void @hl.cuda.side(ptr %side, i1 %on.device, i64 %place, i64 %pitch) nounwind {{
  %kind = select i1 %on.device, i64 {_DEVICE}, i64 {_HOST}
  %kind.p = getelementptr i64, ptr %side, i64 2
  store i64 %kind, ptr %kind.p
  %word = select i1 %on.device, i64 4, i64 3
  %place.p = getelementptr i64, ptr %side, i64 %word
  store i64 %place, ptr %place.p
  %pitch.p = getelementptr i64, ptr %side, i64 6
  store i64 %pitch, ptr %pitch.p
  ret void
}}

; Copies rows of %bytes bytes, which lie apart, in one call; CUDA_MEMCPY2D has sixteen words, those of the source first
; and those of the destination from word 7 on.
define linkonce_odr hidden i32 @hl.cuda.move_rows(ptr %context, ptr %stream, i32 %way, i64 %from, i64 %to, i64 %bytes,
    i64 %from.pitch, i64 %to.pitch, i64 %rows) nounwind {{
  %plan = alloca [16 x i64]
  store [16 x i64] zeroinitializer, ptr %plan
  %down = icmp eq i32 %way, {TO_DEVICE}
  %up = icmp eq i32 %way, {TO_HOST}
  %from.device = xor i1 %down, true
  %to.device = xor i1 %up, true
  call void @hl.cuda.side(ptr %plan, i1 %from.device, i64 %from, i64 %from.pitch)
  %to.side = getelementptr i64, ptr %plan, i64 7
  call void @hl.cuda.side(ptr %to.side, i1 %to.device, i64 %to, i64 %to.pitch)
  %width = getelementptr i64, ptr %plan, i64 14
  store i64 %bytes, ptr %width
  %height = getelementptr i64, ptr %plan, i64 15
  store i64 %rows, ptr %height
  %own = icmp eq ptr %stream, null
  br i1 %own, label %now, label %later
now:
  %f1 = load ptr, ptr $cuMemcpy2D_v2
  %s1 = call i32 %f1(ptr %plan)
  br label %check
later:
  %f2 = load ptr, ptr $cuMemcpy2DAsync_v2
  %s2 = call i32 %f2(ptr %plan, ptr %stream)
  br label %check
check:
  %s = phi i32 [ %s1, %now ], [ %s2, %later ]
  %name = phi ptr [ $name.cuMemcpy2D_v2, %now ], [ $name.cuMemcpy2DAsync_v2, %later ]
  %bad = icmp ne i32 %s, 0
  br i1 %bad, label %failed, label %fine
failed:
  %code = call i32 @hl.cuda.code_of(i32 %way)
  %r = call i32 @hl.cuda.failed(ptr %context, ptr %name, i32 %s, i32 %code)
  ret i32 %r
fine:
  ret i32 0
}}

; Copies pieces of %piece bytes, which lie along the dimensions %first to %count of %rows.
define linkonce_odr hidden i32 @hl.cuda.pieces(ptr %context, ptr %stream, i32 %way, i64 %from, i64 %to, ptr %rows,
    i64 %first, i64 %count, i64 %piece) nounwind {{
entry:
  %left = sub i64 %count, %first
  %none = icmp sle i64 %left, 0
  br i1 %none, label %whole, label %some
whole:
  %r = call i32 @hl.cuda.move(ptr %context, ptr %stream, i32 %way, i64 %from, i64 %to, i64 %piece)
  ret i32 %r
some:
  %outer = sub i64 %count, 1
  %row.p = getelementptr %hl.row, ptr %rows, i64 %outer
  %row = load %hl.row, ptr %row.p
  %from.stride = extractvalue %hl.row %row, 0
  %to.stride = extractvalue %hl.row %row, 1
  %extent = extractvalue %hl.row %row, 2
  %last = icmp eq i64 %left, 1
  %least = call i64 @llvm.smin.i64(i64 %from.stride, i64 %to.stride)
  %most = call i64 @llvm.smax.i64(i64 %from.stride, i64 %to.stride)
  %wide = icmp sge i64 %least, %piece
  %short = icmp sle i64 %most, {_MOST_PITCH}
  %device.way = icmp ne i32 %way, {ON_HOST}
  %a = and i1 %last, %wide
  %b = and i1 %short, %device.way
  %at.once = and i1 %a, %b
  br i1 %at.once, label %table, label %loop
table:
  %r2 = call i32 @hl.cuda.move_rows(ptr %context, ptr %stream, i32 %way, i64 %from, i64 %to, i64 %piece,
      i64 %from.stride, i64 %to.stride, i64 %extent)
  ret i32 %r2
loop:
  %k = phi i64 [ 0, %some ], [ %next, %fine ]
  %from.offset = mul i64 %k, %from.stride
  %to.offset = mul i64 %k, %to.stride
  %there = add i64 %from, %from.offset
  %here = add i64 %to, %to.offset
  %status = call i32 @hl.cuda.pieces(ptr %context, ptr %stream, i32 %way, i64 %there, i64 %here, ptr %rows, i64 %first,
      i64 %outer, i64 %piece)
  %bad = icmp ne i32 %status, 0
  br i1 %bad, label %failed, label %fine
failed:
  ret i32 %status
fine:
  %next = add i64 %k, 1
  %more = icmp slt i64 %next, %extent
  br i1 %more, label %loop, label %done
done:
  ret i32 0
}}

; Copies the elements of %buffer between %device, an address of the device's unless the way is {ON_HOST}, and %host.
define linkonce_odr hidden i32 @hl.cuda.copy(ptr %context, ptr %buffer, i32 %way, i64 %device, ptr %host) nounwind {{
  %other = ptrtoint ptr %host to i64
  %down = icmp eq i32 %way, {TO_DEVICE}
  %from = select i1 %down, i64 %other, i64 %device
  %to = select i1 %down, i64 %device, i64 %other
  %code = call i32 @hl.cuda.transfer(ptr %context, ptr %buffer, ptr %buffer, i32 %way, i64 %from, i64 %to)
  ret i32 %code
}}

; Copies the elements of %buffer, which lie in %source's memory as it says, from one address to another, in our context
; unless the way is {ON_HOST}; what the host can see is done when it returns.
define linkonce_odr hidden i32 @hl.cuda.transfer(ptr %context, ptr %source, ptr %buffer, i32 %way, i64 %from, i64 %to)
    nounwind {{
  %stream.p = alloca ptr
  %shape.p = alloca %hl.shape
  %n.p = getelementptr %hl.buffer, ptr %buffer, i32 0, i32 7
  %n = load i32, ptr %n.p
  %rows = alloca %hl.row, i32 %n
  store ptr null, ptr %stream.p
  %code = call i32 @hl.cuda.code_of(i32 %way)
  %backwards = call i1 @hl.cuda.shape(ptr %source, ptr %buffer, ptr %rows, ptr %shape.p)
  br i1 %backwards, label %refuse, label %known
refuse:
  call void @hl.cuda.say(ptr %context, ptr @hl.cuda.backwards)
  ret i32 %code
known:
  %shape = load %hl.shape, ptr %shape.p
  %piece = extractvalue %hl.shape %shape, 1
  %first = extractvalue %hl.shape %shape, 2
  %count = extractvalue %hl.shape %shape, 3
  %empty = icmp eq i64 %piece, 0
  br i1 %empty, label %done, label %look
look:
  %no.source = icmp eq i64 %from, 0
  %no.target = icmp eq i64 %to, 0
  %missing = or i1 %no.source, %no.target
  br i1 %missing, label %nowhere, label %ask
nowhere:
  call void @hl.cuda.say(ptr %context, ptr @hl.cuda.no_host)
  ret i32 {HOST_IS_NULL}
ask:
  %on.host = icmp eq i32 %way, {ON_HOST}
  br i1 %on.host, label %run, label %which
which:
  %asked = call i32 @hl.cuda.stream(ptr %context, ptr %stream.p)
  %bad = icmp ne i32 %asked, 0
  br i1 %bad, label %no.stream, label %run
no.stream:
  ret i32 %asked
run:
  %stream = load ptr, ptr %stream.p
  %status = call i32 @hl.cuda.pieces(ptr %context, ptr %stream, i32 %way, i64 %from, i64 %to, ptr %rows, i64 %first,
      i64 %count, i64 %piece)
  %started = icmp eq i32 %status, 0
  %later = icmp ne ptr %stream, null
  %seen = icmp ne i32 %way, {ON_DEVICE}
  %due0 = and i1 %started, %later
  %due = and i1 %due0, %seen
  br i1 %due, label %wait, label %end
wait:
  %f = load ptr, ptr $cuStreamSynchronize
  %s = call i32 %f(ptr %stream)
  %failed = icmp ne i32 %s, 0
  br i1 %failed, label %report, label %done
report:
  %r = call i32 @hl.cuda.failed(ptr %context, ptr $name.cuStreamSynchronize, i32 %s, i32 %code)
  ret i32 %r
end:
  ret i32 %status
done:
  ret i32 0
}}
""")
