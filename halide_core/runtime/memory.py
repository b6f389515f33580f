"""Heap storage of compiled programs, as LLVM IR: halide_malloc and halide_free, which a program may define itself.

A block starts at a multiple of 64 bytes.  Large ones ask for huge pages: they are given back to the system when they
are freed, and what most of them cost is that the system clears and maps them anew, page by page."""

from __future__ import annotations

# Bytes from which malloc, once it has seen such sizes, maps a block of its own; pages have 64 KiB at most.
LARGE = 32 << 20
_PAGE = 64 << 10
# Linux's MADV_HUGEPAGE.
_HUGE = 14
# malloc's own pointer stands in the eight bytes before the block.
_DEFAULT = f"""
declare noalias ptr @malloc(i64) nounwind
declare void @free(ptr) nounwind
declare i32 @madvise(ptr, i64, i32) nounwind
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)

define internal noalias ptr @hl.default_malloc(i64 %size) nounwind {{
  %padded = add i64 %size, 80
  %whole = call noalias ptr @malloc(i64 %padded)
  %none = icmp eq ptr %whole, null
  br i1 %none, label %failed, label %fine
failed:
  ret ptr null
fine:
  %past = getelementptr i8, ptr %whole, i64 71
  %block = call ptr @llvm.ptrmask.p0.i64(ptr %past, i64 -64)
  %before = getelementptr i8, ptr %block, i64 -8
  store ptr %whole, ptr %before, align 8
  %large = icmp uge i64 %size, {LARGE}
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

define internal void @hl.default_free(ptr %block) nounwind {{
  %before = getelementptr i8, ptr %block, i64 -8
  %whole = load ptr, ptr %before, align 8
  call void @free(ptr %whole)
  ret void
}}
"""

# Of objects: `context` is Halide's user context, here null.
MEMORY = f"""{_DEFAULT}
define weak noalias ptr @halide_malloc(ptr %context, i64 %size) nounwind {{
  %block = call ptr @hl.default_malloc(i64 %size)
  ret ptr %block
}}

define weak void @halide_free(ptr %context, ptr %block) nounwind {{
  call void @hl.default_free(ptr %block)
  ret void
}}
"""

# Of code in this process: functions of the same signatures may be put where these point.
MALLOC_ADDRESS, FREE_ADDRESS = "halide_core_malloc", "halide_core_free"
PYTHON_MEMORY = f"""{_DEFAULT}
@{MALLOC_ADDRESS} = global ptr null
@{FREE_ADDRESS} = global ptr null

define internal noalias ptr @halide_malloc(ptr %context, i64 %size) nounwind {{
  %other = load volatile ptr, ptr @{MALLOC_ADDRESS}
  %none = icmp eq ptr %other, null
  br i1 %none, label %usual, label %given
usual:
  %block = call ptr @hl.default_malloc(i64 %size)
  ret ptr %block
given:
  %found = call ptr %other(ptr %context, i64 %size)
  ret ptr %found
}}

define internal void @halide_free(ptr %context, ptr %block) nounwind {{
  %other = load volatile ptr, ptr @{FREE_ADDRESS}
  %none = icmp eq ptr %other, null
  br i1 %none, label %usual, label %given
usual:
  call void @hl.default_free(ptr %block)
  ret void
given:
  call void %other(ptr %context, ptr %block)
  ret void
}}
"""
