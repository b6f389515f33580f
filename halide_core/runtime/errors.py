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

PRINTING = """
@hl.text = linkonce_odr hidden unnamed_addr constant [3 x i8] c"%s\\00"
declare i32 @printf(ptr, ...) nounwind

define weak void @halide_print(ptr %context, ptr %message) nounwind {
  %r = call i32 (ptr, ...) @printf(ptr @hl.text, ptr %message)
  ret void
}
"""

# Where a process that loads the code puts the addresses of its functions, each of one string.
PRINT_ADDRESS, ERROR_ADDRESS = "halide_core_print", "halide_core_error"
PYTHON_REPORTS = f"""
declare void @abort() noreturn nounwind
@{PRINT_ADDRESS} = global ptr null
@{ERROR_ADDRESS} = global ptr null

define internal void @halide_print(ptr %context, ptr %message) nounwind {{
  %report = load volatile ptr, ptr @{PRINT_ADDRESS}
  call void %report(ptr %message)
  ret void
}}

define internal void @halide_error(ptr %context, ptr %message) nounwind {{
  %report = load volatile ptr, ptr @{ERROR_ADDRESS}
  call void %report(ptr %message)
  ret void
}}

define internal void @hl.out_of_memory(ptr %message) noreturn nounwind cold {{
  call void @halide_error(ptr null, ptr %message)
  call void @abort()
  unreachable
}}
"""
