"""Memory of a device for compiled programs, as LLVM IR: blocks that are kept for the next run.

What was freed may be used again at once by what is put into the same stream, which runs later."""

from __future__ import annotations

from halide_core.runtime.cuda.driver import (
    DEVICE_MALLOC,
    OUT_OF_MEMORY,
    constant,
    linked,
)

# Memory is asked for in multiples of these bytes, and so much of what is not used is kept, as in gpu/driver.py.
_GRANULE, _MOST_UNUSED = 1 << 16, 1 << 30

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
