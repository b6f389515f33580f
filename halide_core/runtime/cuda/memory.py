"""Memory of a device for compiled programs, as LLVM IR: blocks that are kept for the next run, and copies.

What was freed may be used again at once by what is put into the same stream, which runs later."""

from __future__ import annotations

from halide_core.runtime.cuda.driver import (
    COPY_TO_DEVICE,
    COPY_TO_HOST,
    DEVICE_MALLOC,
    HOST_IS_NULL,
    OUT_OF_MEMORY,
    constant,
    linked,
)

# Memory is asked for in multiples of these bytes, and so much of what is not used is kept, as in gpu/driver.py.
_GRANULE, _MOST_UNUSED = 1 << 16, 1 << 30
# Bytes between rows that the driver copies in one call.
_MOST_PITCH = (1 << 31) - 1
# CUmemorytype.
_HOST, _DEVICE = 1, 2

BLOCKS = linked(f"""
declare noalias ptr @malloc(i64) nounwind
declare void @free(ptr) nounwind

; A block of the device's memory: the next one in its list, address, bytes, and the stream that it was freed in.
%hl.cuda.block = type {{ ptr, i64, i64, ptr }}
@hl.cuda.used = linkonce_odr hidden global ptr null
@hl.cuda.unused = linkonce_odr hidden global ptr null
@hl.cuda.unused_bytes = linkonce_odr hidden global i64 0
@hl.cuda.memory = linkonce_odr hidden global [64 x i8] zeroinitializer, align 64
@hl.cuda.keeps = linkonce_odr hidden global i32 1
{constant("hl.cuda.no_record", "CUDA: out of memory on the host")}

; Gives all blocks that are not used back to the driver, in our context.
define linkonce_odr hidden void @hl.cuda.give_back() nounwind noinline {{
entry:
  %l = call i32 @pthread_mutex_lock(ptr @hl.cuda.memory)
  %all = load ptr, ptr @hl.cuda.unused
  store ptr null, ptr @hl.cuda.unused
  store i64 0, ptr @hl.cuda.unused_bytes
  %u = call i32 @pthread_mutex_unlock(ptr @hl.cuda.memory)
  %f = load ptr, ptr $cuMemFree_v2
  br label %look
look:
  %block = phi ptr [ %all, %entry ], [ %next, %one ]
  %end = icmp eq ptr %block, null
  br i1 %end, label %done, label %one
one:
  %next = load ptr, ptr %block
  %address.p = getelementptr %hl.cuda.block, ptr %block, i32 0, i32 1
  %address = load i64, ptr %address.p
  %s = call i32 %f(i64 %address)
  call void @free(ptr %block)
  br label %look
done:
  ret void
}}

; Takes a block of %size bytes or a quarter more, freed in %stream, out of the unused ones; null where there is none.
define linkonce_odr hidden ptr @hl.cuda.reuse(i64 %size, ptr %stream) nounwind {{
entry:
  %quarter = lshr i64 %size, 2
  %most = add i64 %size, %quarter
  %l = call i32 @pthread_mutex_lock(ptr @hl.cuda.memory)
  br label %look
look:
  %place = phi ptr [ @hl.cuda.unused, %entry ], [ %block, %next ]
  %block = load ptr, ptr %place
  %end = icmp eq ptr %block, null
  br i1 %end, label %done, label %compare
compare:
  %size.p = getelementptr %hl.cuda.block, ptr %block, i32 0, i32 2
  %has = load i64, ptr %size.p
  %stream.p = getelementptr %hl.cuda.block, ptr %block, i32 0, i32 3
  %of = load ptr, ptr %stream.p
  %enough = icmp uge i64 %has, %size
  %close = icmp ule i64 %has, %most
  %same = icmp eq ptr %of, %stream
  %fits0 = and i1 %enough, %close
  %fits = and i1 %fits0, %same
  br i1 %fits, label %take, label %next
next:
  br label %look
take:
  %rest = load ptr, ptr %block
  store ptr %rest, ptr %place
  %bytes = load i64, ptr @hl.cuda.unused_bytes
  %left = sub i64 %bytes, %has
  store i64 %left, ptr @hl.cuda.unused_bytes
  %used = load ptr, ptr @hl.cuda.used
  store ptr %used, ptr %block
  store ptr %block, ptr @hl.cuda.used
  br label %done
done:
  %u = call i32 @pthread_mutex_unlock(ptr @hl.cuda.memory)
  ret ptr %block
}}

; The address of %size bytes at %out, in our context.
define linkonce_odr hidden i32 @hl.cuda.malloc(ptr %context, i64 %size, ptr %out) nounwind {{
entry:
  %stream.p = alloca ptr
  %code0 = call i32 @hl.cuda.stream(ptr %context, ptr %stream.p)
  %bad0 = icmp ne i32 %code0, 0
  br i1 %bad0, label %no.stream, label %begin
no.stream:
  ret i32 %code0
begin:
  %stream = load ptr, ptr %stream.p
  %more = add i64 %size, {_GRANULE - 1}
  %rounded = and i64 %more, -{_GRANULE}
  %old = call ptr @hl.cuda.reuse(i64 %rounded, ptr %stream)
  %none = icmp eq ptr %old, null
  br i1 %none, label %new, label %again
again:
  %address.p = getelementptr %hl.cuda.block, ptr %old, i32 0, i32 1
  %address = load i64, ptr %address.p
  store i64 %address, ptr %out
  ret i32 0
new:
  %block = call ptr @malloc(i64 32)
  %short = icmp eq ptr %block, null
  br i1 %short, label %no.record, label %ask
no.record:
  call void @hl.cuda.say(ptr %context, ptr @hl.cuda.no_record)
  ret i32 {OUT_OF_MEMORY}
ask:
  %f = load ptr, ptr $cuMemAlloc_v2
  %place = getelementptr %hl.cuda.block, ptr %block, i32 0, i32 1
  %s = call i32 %f(ptr %place, i64 %rounded)
  %full = icmp ne i32 %s, 0
  br i1 %full, label %retry, label %fine
retry:
  call void @hl.cuda.give_back()
  %s2 = call i32 %f(ptr %place, i64 %rounded)
  %full2 = icmp ne i32 %s2, 0
  br i1 %full2, label %failed, label %fine
failed:
  call void @free(ptr %block)
  %code = call i32 @hl.cuda.failed(ptr %context, ptr $name.cuMemAlloc_v2, i32 %s2, i32 {DEVICE_MALLOC})
  ret i32 %code
fine:
  %size.p = getelementptr %hl.cuda.block, ptr %block, i32 0, i32 2
  store i64 %rounded, ptr %size.p
  %l = call i32 @pthread_mutex_lock(ptr @hl.cuda.memory)
  %used = load ptr, ptr @hl.cuda.used
  store ptr %used, ptr %block
  store ptr %block, ptr @hl.cuda.used
  %u = call i32 @pthread_mutex_unlock(ptr @hl.cuda.memory)
  %new.address = load i64, ptr %place
  store i64 %new.address, ptr %out
  ret i32 0
}}

; Keeps the block at %address for the next run; nothing where the memory is not ours.
define linkonce_odr hidden i32 @hl.cuda.free(ptr %context, i64 %address) nounwind {{
entry:
  %stream.p = alloca ptr
  %l = call i32 @pthread_mutex_lock(ptr @hl.cuda.memory)
  br label %look
look:
  %place = phi ptr [ @hl.cuda.used, %entry ], [ %block, %next ]
  %block = load ptr, ptr %place
  %end = icmp eq ptr %block, null
  br i1 %end, label %unknown, label %compare
unknown:
  %u0 = call i32 @pthread_mutex_unlock(ptr @hl.cuda.memory)
  ret i32 0
compare:
  %address.p = getelementptr %hl.cuda.block, ptr %block, i32 0, i32 1
  %here = load i64, ptr %address.p
  %same = icmp eq i64 %here, %address
  br i1 %same, label %take, label %next
next:
  br label %look
take:
  %rest = load ptr, ptr %block
  store ptr %rest, ptr %place
  %u1 = call i32 @pthread_mutex_unlock(ptr @hl.cuda.memory)
  ; The caller's function is asked without a lock.
  %no.stream = call i32 @hl.cuda.stream(ptr %context, ptr %stream.p)
  %stream = load ptr, ptr %stream.p
  %of = getelementptr %hl.cuda.block, ptr %block, i32 0, i32 3
  store ptr %stream, ptr %of
  %size.p = getelementptr %hl.cuda.block, ptr %block, i32 0, i32 2
  %size = load i64, ptr %size.p
  %l2 = call i32 @pthread_mutex_lock(ptr @hl.cuda.memory)
  %unused = load ptr, ptr @hl.cuda.unused
  store ptr %unused, ptr %block
  store ptr %block, ptr @hl.cuda.unused
  %bytes = load i64, ptr @hl.cuda.unused_bytes
  %sum = add i64 %bytes, %size
  store i64 %sum, ptr @hl.cuda.unused_bytes
  %u2 = call i32 @pthread_mutex_unlock(ptr @hl.cuda.memory)
  %keeps = load atomic i32, ptr @hl.cuda.keeps monotonic, align 4
  %never = icmp eq i32 %keeps, 0
  %much = icmp ugt i64 %sum, {_MOST_UNUSED}
  ; What is in no known stream must not be used again in another one.
  %lost = icmp ne i32 %no.stream, 0
  %drop0 = or i1 %never, %much
  %drop = or i1 %drop0, %lost
  br i1 %drop, label %back, label %done
back:
  %code = call i32 @hl.cuda.enter(ptr %context)
  %bad = icmp ne i32 %code, 0
  br i1 %bad, label %away, label %give
away:
  ret i32 %code
give:
  call void @hl.cuda.give_back()
  call void @hl.cuda.leave()
  br label %done
done:
  ret i32 0
}}

define weak i32 @halide_reuse_device_allocations(ptr %context, i1 zeroext %keep) nounwind {{
  %wide = zext i1 %keep to i32
  store atomic i32 %wide, ptr @hl.cuda.keeps monotonic, align 4
  %open = load atomic i32, ptr @hl.cuda.is_open acquire, align 4
  %closed = icmp eq i32 %open, 0
  %nothing = or i1 %keep, %closed
  br i1 %nothing, label %done, label %enter
enter:
  %code = call i32 @hl.cuda.enter(ptr %context)
  %bad = icmp ne i32 %code, 0
  br i1 %bad, label %away, label %give
away:
  ret i32 %code
give:
  call void @hl.cuda.give_back()
  call void @hl.cuda.leave()
  br label %done
done:
  ret i32 0
}}

define weak zeroext i1 @halide_can_reuse_device_allocations(ptr %context) nounwind {{
  %keeps = load atomic i32, ptr @hl.cuda.keeps monotonic, align 4
  %may = icmp ne i32 %keeps, 0
  ret i1 %may
}}
""")

# The ways of a copy: to the device, to the host, and, of bytes that a copy to the host has put beside, on the host.
TO_DEVICE, TO_HOST, ON_HOST = 0, 1, 2

COPIES = linked(f"""
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
%hl.buffer = type {{ i64, ptr, ptr, i64, i8, i8, i16, i32, ptr, ptr }}
%hl.dim = type {{ i32, i32, i32, i32 }}
; How a buffer lies in memory: bytes from the first to the last element, bytes of a piece without gaps, and the first
; and the end of the dimensions that such pieces lie along, in an array of pairs of strides in bytes and extents.
%hl.shape = type {{ i64, i64, i64, i64 }}
%hl.row = type {{ i64, i64 }}
{constant("hl.cuda.backwards", "A buffer with a negative stride cannot be copied to a device")}
{constant("hl.cuda.no_host", "A buffer without memory on the host cannot be copied from or to it")}

; Describes %buffer; %rows has room for all its dimensions.  The result says whether one runs backwards.
define linkonce_odr hidden i1 @hl.cuda.shape(ptr %buffer, ptr %rows, ptr %shape) nounwind {{
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
  %backwards = icmp slt i64 %stride, 0
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
  %its = extractvalue %hl.row %row, 0
  %further = icmp sgt i64 %its, %stride
  br i1 %further, label %shift, label %put
shift:
  %up = getelementptr %hl.row, ptr %rows, i64 %k
  store %hl.row %row, ptr %up
  br label %place
put:
  %at = getelementptr %hl.row, ptr %rows, i64 %k
  %r0 = insertvalue %hl.row undef, i64 %stride, 0
  %r1 = insertvalue %hl.row %r0, i64 %extent, 1
  store %hl.row %r1, ptr %at
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
  %rs = extractvalue %hl.row %r, 0
  %re = extractvalue %hl.row %r, 1
  %dense = icmp eq i64 %rs, %piece
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

; Copies bytes without gaps between %device, an address of the device's unless the way is {ON_HOST}, and %host.
define linkonce_odr hidden i32 @hl.cuda.move(ptr %context, ptr %stream, i32 %way, i64 %device, ptr %host, i64 %bytes)
    nounwind {{
entry:
  %own = icmp eq ptr %stream, null
  switch i32 %way, label %on_host [ i32 {TO_DEVICE}, label %down  i32 {TO_HOST}, label %up ]
on_host:
  %beside = inttoptr i64 %device to ptr
  call void @llvm.memcpy.p0.p0.i64(ptr %host, ptr %beside, i64 %bytes, i1 false)
  ret i32 0
down:
  br i1 %own, label %down.now, label %down.later
down.now:
  %f1 = load ptr, ptr $cuMemcpyHtoD_v2
  %s1 = call i32 %f1(i64 %device, ptr %host, i64 %bytes)
  br label %check
down.later:
  %f2 = load ptr, ptr $cuMemcpyHtoDAsync_v2
  %s2 = call i32 %f2(i64 %device, ptr %host, i64 %bytes, ptr %stream)
  br label %check
up:
  br i1 %own, label %up.now, label %up.later
up.now:
  %f3 = load ptr, ptr $cuMemcpyDtoH_v2
  %s3 = call i32 %f3(ptr %host, i64 %device, i64 %bytes)
  br label %check
up.later:
  %f4 = load ptr, ptr $cuMemcpyDtoHAsync_v2
  %s4 = call i32 %f4(ptr %host, i64 %device, i64 %bytes, ptr %stream)
  br label %check
check:
  %s = phi i32 [ %s1, %down.now ], [ %s2, %down.later ], [ %s3, %up.now ], [ %s4, %up.later ]
  %name = phi ptr [ $name.cuMemcpyHtoD_v2, %down.now ], [ $name.cuMemcpyHtoDAsync_v2, %down.later ],
      [ $name.cuMemcpyDtoH_v2, %up.now ], [ $name.cuMemcpyDtoHAsync_v2, %up.later ]
  %bad = icmp ne i32 %s, 0
  br i1 %bad, label %failed, label %fine
failed:
  %up.way = icmp eq i32 %way, {TO_HOST}
  %code = select i1 %up.way, i32 {COPY_TO_HOST}, i32 {COPY_TO_DEVICE}
  %r = call i32 @hl.cuda.failed(ptr %context, ptr %name, i32 %s, i32 %code)
  ret i32 %r
fine:
  ret i32 0
}}

; Copies rows of %bytes bytes, %pitch apart, in one call; CUDA_MEMCPY2D has sixteen words.
define linkonce_odr hidden i32 @hl.cuda.move_rows(ptr %context, ptr %stream, i32 %way, i64 %device, ptr %host,
    i64 %bytes, i64 %pitch, i64 %rows) nounwind {{
  %plan = alloca [16 x i64]
  store [16 x i64] zeroinitializer, ptr %plan
  %up = icmp eq i32 %way, {TO_HOST}
  ; Fields of the source start at word 0, those of the destination at word 7.
  %h = select i1 %up, i64 7, i64 0
  %d = sub i64 7, %h
  %h.side = getelementptr i64, ptr %plan, i64 %h
  %d.side = getelementptr i64, ptr %plan, i64 %d
  %h.kind = getelementptr i64, ptr %h.side, i64 2
  store i64 {_HOST}, ptr %h.kind
  %h.place = getelementptr i64, ptr %h.side, i64 3
  store ptr %host, ptr %h.place
  %h.pitch = getelementptr i64, ptr %h.side, i64 6
  store i64 %pitch, ptr %h.pitch
  %d.kind = getelementptr i64, ptr %d.side, i64 2
  store i64 {_DEVICE}, ptr %d.kind
  %d.place = getelementptr i64, ptr %d.side, i64 4
  store i64 %device, ptr %d.place
  %d.pitch = getelementptr i64, ptr %d.side, i64 6
  store i64 %pitch, ptr %d.pitch
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
  %code = select i1 %up, i32 {COPY_TO_HOST}, i32 {COPY_TO_DEVICE}
  %r = call i32 @hl.cuda.failed(ptr %context, ptr %name, i32 %s, i32 %code)
  ret i32 %r
fine:
  ret i32 0
}}

; Copies pieces of %piece bytes, which lie along the dimensions %first to %count of %rows.
define linkonce_odr hidden i32 @hl.cuda.pieces(ptr %context, ptr %stream, i32 %way, i64 %device, ptr %host, ptr %rows,
    i64 %first, i64 %count, i64 %piece) nounwind {{
entry:
  %left = sub i64 %count, %first
  %none = icmp sle i64 %left, 0
  br i1 %none, label %whole, label %some
whole:
  %r = call i32 @hl.cuda.move(ptr %context, ptr %stream, i32 %way, i64 %device, ptr %host, i64 %piece)
  ret i32 %r
some:
  %outer = sub i64 %count, 1
  %row.p = getelementptr %hl.row, ptr %rows, i64 %outer
  %row = load %hl.row, ptr %row.p
  %stride = extractvalue %hl.row %row, 0
  %extent = extractvalue %hl.row %row, 1
  %last = icmp eq i64 %left, 1
  %wide = icmp sge i64 %stride, %piece
  %short = icmp sle i64 %stride, {_MOST_PITCH}
  %device.way = icmp ne i32 %way, {ON_HOST}
  %a = and i1 %last, %wide
  %b = and i1 %short, %device.way
  %at.once = and i1 %a, %b
  br i1 %at.once, label %table, label %loop
table:
  %r2 = call i32 @hl.cuda.move_rows(ptr %context, ptr %stream, i32 %way, i64 %device, ptr %host, i64 %piece,
      i64 %stride, i64 %extent)
  ret i32 %r2
loop:
  %k = phi i64 [ 0, %some ], [ %next, %fine ]
  %offset = mul i64 %k, %stride
  %there = add i64 %device, %offset
  %here = getelementptr i8, ptr %host, i64 %offset
  %status = call i32 @hl.cuda.pieces(ptr %context, ptr %stream, i32 %way, i64 %there, ptr %here, ptr %rows, i64 %first,
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

; Copies the elements of %buffer between %device and %host, in our context unless the way is {ON_HOST}; all is done when
; it returns.
define linkonce_odr hidden i32 @hl.cuda.copy(ptr %context, ptr %buffer, i32 %way, i64 %device, ptr %host) nounwind {{
  %stream.p = alloca ptr
  %shape.p = alloca %hl.shape
  %n.p = getelementptr %hl.buffer, ptr %buffer, i32 0, i32 7
  %n = load i32, ptr %n.p
  %rows = alloca %hl.row, i32 %n
  store ptr null, ptr %stream.p
  %up = icmp eq i32 %way, {TO_HOST}
  %code = select i1 %up, i32 {COPY_TO_HOST}, i32 {COPY_TO_DEVICE}
  %backwards = call i1 @hl.cuda.shape(ptr %buffer, ptr %rows, ptr %shape.p)
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
  %no.host = icmp eq ptr %host, null
  br i1 %no.host, label %nowhere, label %ask
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
  %status = call i32 @hl.cuda.pieces(ptr %context, ptr %stream, i32 %way, i64 %device, ptr %host, ptr %rows, i64 %first,
      i64 %count, i64 %piece)
  %started = icmp eq i32 %status, 0
  %later = icmp ne ptr %stream, null
  %due = and i1 %started, %later
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
