"""What each processor says in its own way, in LLVM IR."""

from __future__ import annotations

OF_ARCH = {
    "x86": {
        "declarations": """declare void @llvm.x86.sse2.pause()
declare void @llvm.x86.sse.sfence()
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)""",
        "pause": "call void @llvm.x86.sse2.pause()",
        "fence": "call void @llvm.x86.sse.sfence()",  # after streaming stores
        # Without the flags of what has happened so far, the low six bits.
        "get_control": """%place = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %place)
  %all = load i32, ptr %place
  %bits = and i32 %all, 65472
  %wide = zext i32 %bits to i64
  ret i64 %wide""",
        "set_control": """%place = alloca i32
  %bits = trunc i64 %control to i32
  store i32 %bits, ptr %place
  call void @llvm.x86.sse.ldmxcsr(ptr %place)""",
    },
    "arm": {
        "declarations": """declare void @llvm.aarch64.hint(i32)
declare i64 @llvm.aarch64.get.fpcr()
declare void @llvm.aarch64.set.fpcr(i64)""",
        "pause": "call void @llvm.aarch64.hint(i32 1)",
        "fence": "",
        "get_control": """%bits = call i64 @llvm.aarch64.get.fpcr()
  ret i64 %bits""",
        "set_control": "call void @llvm.aarch64.set.fpcr(i64 %control)",
    },
}


def float_control(arch: str, name: str) -> str:
    """A function of that name that tells how a thread rounds and what it does to denormals."""
    return f"""{OF_ARCH[arch]["declarations"]}
define linkonce_odr hidden i64 @{name}() alwaysinline nounwind {{
  {OF_ARCH[arch]["get_control"]}
}}
"""
