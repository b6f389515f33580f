"""The time of each Func, for code made with the target feature `profile`.

Every function of the module keeps the time at which it last changed from one Func to another; at the next change the
time since is added to the Func that it was spent on.  So a Func's time is its own, without what is computed inside of
its loops, and that of all threads together; an owner's wait for its parallel loop is nobody's."""

from __future__ import annotations

from collections.abc import Callable

from halide_core.backend.llvm_builder import FunctionBuilder

SYMBOL = "hl.profile"
FIELDS = 4
"""Numbers of a Func: nanoseconds, how often it was computed, and when it was first begun and last left."""
REST = "(rest)"
"""What is no Func's."""

CLOCK = """
define internal i64 @hl.nanoseconds() nounwind {
  %time = alloca { i64, i64 }
  %rc = call i32 @clock_gettime(i32 1, ptr %time)
  %s = load i64, ptr %time
  %place = getelementptr inbounds { i64, i64 }, ptr %time, i32 0, i32 1
  %ns = load i64, ptr %place
  %whole = mul i64 %s, 1000000000
  %all = add i64 %whole, %ns
  ret i64 %all
}
"""
CLOCK_DECLARATION = "declare i32 @clock_gettime(i32, ptr) nounwind"


class Profiler:
    """Numbers the Funcs of a module and emits what keeps their times."""

    def __init__(self) -> None:
        self.names: list[str] = [REST]

    def slot(self, func: str) -> int:
        """The number of `func`."""
        if func not in self.names:
            self.names.append(func)
        return self.names.index(func)

    def start(self, b: FunctionBuilder) -> None:
        """The clock starts: at the entry of a function, and after waiting."""
        if b.clock is None:
            b.clock = b.alloca("i64", align=8)
        b.do(f"store i64 {b.emit('call i64 @hl.nanoseconds()')}, ptr {b.clock}")

    def charge(self, b: FunctionBuilder, slot: int) -> str:
        """Adds the time since the last change to a Func; returns the operand of the time now."""
        assert b.clock is not None
        now = b.emit("call i64 @hl.nanoseconds()")
        spent = b.emit(f"sub i64 {now}, {b.emit(f'load i64, ptr {b.clock}')}")
        self._add(b, slot, 0, "add", spent)
        b.do(f"store i64 {now}, ptr {b.clock}")
        return now

    def produce(self, b: FunctionBuilder, around: int, slot: int, body: Callable[[], None]) -> None:
        """`body`, which computes a Func within what belongs to another."""
        now = self.charge(b, around)
        self._add(b, slot, 1, "add", "1")
        self._add(b, slot, 2, "umin", now)
        body()
        self._add(b, slot, 3, "umax", self.charge(b, slot))

    def _add(self, b: FunctionBuilder, slot: int, field: int, operation: str, value: str) -> None:
        place = b.emit(f"getelementptr i64, ptr @{SYMBOL}, i64 {FIELDS * slot + field}")
        b.emit(f"atomicrmw {operation} ptr {place}, i64 {value} monotonic")

    def text(self) -> str:
        """The memory of the numbers."""
        return f"@{SYMBOL} = global [{FIELDS * len(self.names)} x i64] zeroinitializer, align 64"
