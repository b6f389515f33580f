"""Error reporting of compiled programs, as LLVM IR."""

from __future__ import annotations

ERRORS = """
declare i32 @dprintf(i32, ptr, ...) nounwind
declare void @abort() noreturn nounwind
@hl.format = linkonce_odr hidden unnamed_addr constant [12 x i8] c"Error: %s\\0A\\00\\00"

define weak void @halide_error(ptr %context, ptr %message) nounwind {
  %r = call i32 (i32, ptr, ...) @dprintf(i32 2, ptr @hl.format, ptr %message)
  ret void
}

define linkonce_odr hidden void @hl.out_of_memory(ptr %message) noreturn nounwind cold {
  call void @halide_error(ptr null, ptr %message)
  call void @abort()
  unreachable
}
"""
