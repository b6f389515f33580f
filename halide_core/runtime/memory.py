"""Heap storage of compiled programs, as LLVM IR: halide_malloc and halide_free, which a program may define itself.

A block starts at a multiple of 64 bytes.  What most of a large one costs is that the system clears and maps its memory
page by page, which malloc gives back as soon as it is freed.  So the blocks freed last are kept for the next run, up to
KEPT bytes of them in all, in a few slots that threads exchange atomically; beyond that, blocks ask for huge pages."""

from __future__ import annotations

# Bytes of a block from which it is kept when it is freed; of all blocks that are kept; how many they are.
_KEPT_FROM = 128 << 10
KEPT = 128 << 20
_SLOTS = 16
# Bytes from which malloc, once it has seen such sizes, maps a block of its own; pages have 64 KiB at most.
_LARGE = 32 << 20
_PAGE = 64 << 10
# Linux's MADV_HUGEPAGE.
_HUGE = 14

# In the sixteen bytes before a block stand its size and malloc's own pointer.
_SYSTEM = f"""
declare noalias ptr @malloc(i64) nounwind
declare void @free(ptr) nounwind
declare i32 @madvise(ptr, i64, i32) nounwind
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)

define internal ptr @hl.system_malloc(i64 %size) nounwind {{
  %padded = add i64 %size, 80
  %whole = call noalias ptr @malloc(i64 %padded)
  %none = icmp eq ptr %whole, null
  br i1 %none, label %failed, label %fine
failed:
  ret ptr null
fine:
  %past = getelementptr i8, ptr %whole, i64 79
  %block = call ptr @llvm.ptrmask.p0.i64(ptr %past, i64 -64)
  %before = getelementptr i8, ptr %block, i64 -8
  store ptr %whole, ptr %before, align 8
  %sizes = getelementptr i8, ptr %block, i64 -16
  store i64 %size, ptr %sizes, align 8
  %large = icmp uge i64 %size, {_LARGE}
  br i1 %large, label %advised, label %done
advised:
  %later = getelementptr i8, ptr %whole, i64 {_PAGE - 1}
  %page = call ptr @llvm.ptrmask.p0.i64(ptr %later, i64 -{_PAGE})
  %length = sub i64 %size, {_PAGE}
  %ignored = call i32 @madvise(ptr %page, i64 %length, i32 {_HUGE})
  br label %done
done:
  ret ptr %block
}}

define internal void @hl.system_free(ptr %block) nounwind {{
  %before = getelementptr i8, ptr %block, i64 -8
  %whole = load ptr, ptr %before, align 8
  call void @free(ptr %whole)
  ret void
}}

define internal i64 @hl.size(ptr %block) nounwind {{
  %sizes = getelementptr i8, ptr %block, i64 -16
  %size = load i64, ptr %sizes, align 8
  ret i64 %size
}}
"""

# Who takes a block out of its slot owns it: no size is read, and nothing freed, of a block that stands in one.
_POOL = f"""{_SYSTEM}
@hl.kept = linkonce_odr hidden global [{_SLOTS} x ptr] zeroinitializer, align 64
@hl.kept_bytes = linkonce_odr hidden global i64 0, align 64
@hl.next_kept = linkonce_odr hidden global i64 0, align 64

define internal ptr @hl.take(i64 %k) nounwind {{
  %slot = getelementptr [{_SLOTS} x ptr], ptr @hl.kept, i64 0, i64 %k
  %seen = load atomic ptr, ptr %slot monotonic, align 8
  %empty = icmp eq ptr %seen, null
  br i1 %empty, label %none, label %some
none:
  ret ptr null
some:
  %block = atomicrmw xchg ptr %slot, ptr null acq_rel
  ret ptr %block
}}

define internal i1 @hl.put(i64 %k, ptr %block) nounwind {{
  %slot = getelementptr [{_SLOTS} x ptr], ptr @hl.kept, i64 0, i64 %k
  %pair = cmpxchg ptr %slot, ptr null, ptr %block acq_rel monotonic
  %done = extractvalue {{ ptr, i1 }} %pair, 1
  ret i1 %done
}}

define internal void @hl.drop(ptr %block) nounwind {{
  %size = call i64 @hl.size(ptr %block)
  %ignored = atomicrmw sub ptr @hl.kept_bytes, i64 %size monotonic
  call void @hl.system_free(ptr %block)
  ret void
}}

define internal void @hl.release() nounwind noinline {{
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %after ]
  %block = call ptr @hl.take(i64 %k)
  %empty = icmp eq ptr %block, null
  br i1 %empty, label %after, label %found
found:
  call void @hl.drop(ptr %block)
  br label %after
after:
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, {_SLOTS}
  br i1 %more, label %loop, label %end
end:
  ret void
}}

; A kept block of at least so many bytes, and of at most twice as many, or null.
define internal ptr @hl.reuse(i64 %size) nounwind noinline {{
entry:
  %most = shl i64 %size, 1
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %after ]
  %block = call ptr @hl.take(i64 %k)
  %empty = icmp eq ptr %block, null
  br i1 %empty, label %after, label %found
found:
  %has = call i64 @hl.size(ptr %block)
  %enough = icmp uge i64 %has, %size
  %close = icmp ule i64 %has, %most
  %fits = and i1 %enough, %close
  br i1 %fits, label %use, label %back
use:
  %ignored = atomicrmw sub ptr @hl.kept_bytes, i64 %has monotonic
  ret ptr %block
back:
  %put = call i1 @hl.put(i64 %k, ptr %block)
  br i1 %put, label %after, label %lost
lost:
  call void @hl.drop(ptr %block)
  br label %after
after:
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, {_SLOTS}
  br i1 %more, label %loop, label %end
end:
  ret ptr null
}}

; Keeps a block, where there is no room in place of others in turn; gives back one that is too large for that.
define internal void @hl.keep(ptr %block, i64 %size) nounwind noinline {{
entry:
  %fits = icmp ule i64 %size, {KEPT}
  br i1 %fits, label %start, label %give
start:
  %before = atomicrmw add ptr @hl.kept_bytes, i64 %size monotonic
  br label %loop
loop:
  %tries = phi i64 [ 0, %start ], [ %again, %after ]
  %present = load atomic i64, ptr @hl.kept_bytes monotonic, align 8
  %room = icmp ule i64 %present, {KEPT}
  %turn = atomicrmw add ptr @hl.next_kept, i64 1 monotonic
  %k = and i64 %turn, {_SLOTS - 1}
  br i1 %room, label %store, label %evict
store:
  %put = call i1 @hl.put(i64 %k, ptr %block)
  br i1 %put, label %end, label %taken
taken:
  %full = icmp uge i64 %tries, {_SLOTS}
  br i1 %full, label %replace, label %after
replace:
  %slot = getelementptr [{_SLOTS} x ptr], ptr @hl.kept, i64 0, i64 %k
  %replaced = atomicrmw xchg ptr %slot, ptr %block acq_rel
  %vacant = icmp eq ptr %replaced, null
  br i1 %vacant, label %end, label %displaced
displaced:
  call void @hl.drop(ptr %replaced)
  ret void
evict:
  %old = call ptr @hl.take(i64 %k)
  %empty = icmp eq ptr %old, null
  br i1 %empty, label %after, label %drop
drop:
  call void @hl.drop(ptr %old)
  br label %after
after:
  %again = add i64 %tries, 1
  %more = icmp ult i64 %again, {4 * _SLOTS}
  br i1 %more, label %loop, label %stop
stop:
  call void @hl.drop(ptr %block)
  ret void
give:
  call void @hl.system_free(ptr %block)
  ret void
end:
  ret void
}}

define internal ptr @hl.default_malloc(i64 %size) nounwind {{
entry:
  %kept = icmp uge i64 %size, {_KEPT_FROM}
  br i1 %kept, label %search, label %new
search:
  %found = call ptr @hl.reuse(i64 %size)
  %none = icmp eq ptr %found, null
  br i1 %none, label %new, label %old
old:
  ret ptr %found
new:
  %block = call ptr @hl.system_malloc(i64 %size)
  %failed = icmp eq ptr %block, null
  br i1 %failed, label %short, label %fine
short:
  call void @hl.release()
  %second = call ptr @hl.system_malloc(i64 %size)
  ret ptr %second
fine:
  ret ptr %block
}}

define internal void @hl.default_free(ptr %block) nounwind {{
  %size = call i64 @hl.size(ptr %block)
  %kept = icmp uge i64 %size, {_KEPT_FROM}
  br i1 %kept, label %keep, label %give
keep:
  call void @hl.keep(ptr %block, i64 %size)
  ret void
give:
  call void @hl.system_free(ptr %block)
  ret void
}}
"""

# Of objects: `context` is Halide's user context, here null.  What is kept goes back when a library is unloaded.
MEMORY = f"""{_POOL}
@llvm.global_dtors = appending global [1 x {{ i32, ptr, ptr }}]
  [{{ i32, ptr, ptr }} {{ i32 65535, ptr @hl.release, ptr null }}]

define weak noalias ptr @halide_malloc(ptr %context, i64 %size) nounwind {{
  %block = call ptr @hl.default_malloc(i64 %size)
  ret ptr %block
}}

define weak void @halide_free(ptr %context, ptr %block) nounwind {{
  call void @hl.default_free(ptr %block)
  ret void
}}
"""

# Of code in this process: functions of the same signatures stand where these point, at first those of PYTHON_POOL.
MALLOC_ADDRESS, FREE_ADDRESS = "halide_core_malloc", "halide_core_free"
PYTHON_MEMORY = f"""
@{MALLOC_ADDRESS} = global ptr null
@{FREE_ADDRESS} = global ptr null

define internal noalias ptr @halide_malloc(ptr %context, i64 %size) nounwind {{
  %function = load volatile ptr, ptr @{MALLOC_ADDRESS}
  %block = call ptr %function(ptr %context, i64 %size)
  ret ptr %block
}}

define internal void @halide_free(ptr %context, ptr %block) nounwind {{
  %function = load volatile ptr, ptr @{FREE_ADDRESS}
  call void %function(ptr %context, ptr %block)
  ret void
}}
"""

# One for the whole process, so that all its code shares what is kept.
POOL_MALLOC, POOL_FREE, POOL_RELEASE = "hl_pool_malloc", "hl_pool_free", "hl_pool_release"
PYTHON_POOL = f"""{_POOL}
define ptr @{POOL_MALLOC}(ptr %context, i64 %size) nounwind {{
  %block = call ptr @hl.default_malloc(i64 %size)
  ret ptr %block
}}

define void @{POOL_FREE}(ptr %context, ptr %block) nounwind {{
  call void @hl.default_free(ptr %block)
  ret void
}}

define void @{POOL_RELEASE}() nounwind {{
  call void @hl.release()
  ret void
}}
"""
