"""A module and its functions as LLVM text under construction."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from typing import TYPE_CHECKING

from halide_core.backend.llvm_types import llvm_type, mangle
from halide_core.ir.types import Type

if TYPE_CHECKING:
    from halide_core.backend.llvm_profile import Profiler

# What LLVM may make of a loop, after the branch that ends it: unroll and vectorize it, vectorize it, or neither.
UNROLLED, VECTORIZED, PLAIN = "", ", !llvm.loop !2", ", !llvm.loop !3"
# The same as VECTORIZED, for a loop that holds no other one and begins with a line of the cache: of a few instructions
# that lie in two lines, processors with a cache of decoded instructions take up to twice as long.
TIGHT = ", !llvm.loop !6"
LOOP_ADVICE = """!2 = distinct !{!2, !4}
!3 = distinct !{!3, !4, !5}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = !{!"llvm.loop.vectorize.enable", i1 false}
!6 = distinct !{!6, !4}"""
# The same where code has lines: a device's assembler knows none.
ALIGNING_ADVICE = f"""{LOOP_ADVICE.replace("!{!6, !4}", "!{!6, !4, !7}")}
!7 = !{{!"llvm.loop.align", i32 64}}"""


_MOST_INLINED = 600
"""Instructions that the calls of one function may become."""


class ModuleBuilder:
    """Declarations, functions and constants of one LLVM module."""

    def __init__(
        self, psad_bytes: int = 0, permutes_bytes: bool = False, slow_mask_bytes: int = 0, fuses: bool = False,
        gathers_words: bool = False,
    ) -> None:
        # Whether the target gathers words of 32 bits faster than it loads bytes one by one.
        self.gathers_words = gathers_words
        # Whether the target multiplies and adds in one step, with one rounding.
        self.fuses = fuses
        # Width of registers that are stored under masks slowly, 0 for none.
        self.slow_mask_bytes = slow_mask_bytes
        # Whether the target picks bytes from two registers of 64 (AVX-512 VBMI).
        self.permutes_bytes = permutes_bytes
        # Width of the target's sum-of-absolute-differences instruction, 0 for none.
        self.psad_bytes = psad_bytes
        # Whether what is rarely done stands in functions of its own.
        self.outlines = True
        # Whether the target's conversions of floats to integers saturate.
        self.saturates = False
        self.declarations: dict[str, str] = {}
        self.functions: list[str] = []
        self.globals: list[str] = []
        self._names: dict[str, int] = {}
        self._begun: set[str] = set()
        # Functions that stand in place of their calls where these are few: how each begins, and its instructions.
        self.short: dict[str, tuple[str, int]] = {}
        # What keeps the time of each Func, where that is wanted.
        self.profiler: Profiler | None = None

    def declare(self, name: str, result: str, parameters: list[str], attributes: str = "nounwind") -> str:
        """An external function; its name, with @."""
        self.declarations[name] = f"declare {result} @{name}({', '.join(parameters)}) {attributes}"
        return f"@{name}"

    def begin(self, name: str) -> bool:
        """Whether the function `name` is asked for the first time, so that it must be defined."""
        if name in self._begun:
            return False
        self._begun.add(name)
        return True

    def fresh_name(self, base: str) -> str:
        """A name no other global of this module has."""
        clean = "".join(c if c.isalnum() or c in "_.$" else "_" for c in base)
        count = self._names.get(clean, 0)
        self._names[clean] = count + 1
        return clean if not count else f"{clean}.{count}"

    def string(self, text: str) -> str:
        """A private zero-terminated string constant; its name, with @."""
        data = text.encode() + b"\0"
        name = self.fresh_name(".str")
        body = "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in data)
        self.globals.append(f'@{name} = private unnamed_addr constant [{len(data)} x i8] c"{body}"')
        return f"@{name}"

    def table(self, base: str, data: bytes) -> str:
        """A private constant array, aligned for vectors; its name, with @."""
        name = self.fresh_name(f".table.{base}")
        body = "".join(f"\\{b:02X}" for b in data)
        self.globals.append(f'@{name} = private unnamed_addr constant [{len(data)} x i8] c"{body}", align 64')
        return f"@{name}"

    def text(self) -> str:
        """The whole module."""
        defined = self._with_calls_inlined("\n".join(self.functions))
        declared = [d for n, d in sorted(self.declarations.items()) if f"@{n}(" not in self._defined_names()]
        times = [self.profiler.text()] if self.profiler is not None else []
        return "\n".join([*self.globals, *times, *declared, defined]) + "\n"

    def _with_calls_inlined(self, defined: str) -> str:
        """In place of its calls a function's constants stay in registers while a loop runs; where there are many calls,
        LLVM decides, for code that is long takes long to compile."""
        calls = Counter(re.findall(r"call [^@\n]*(@[\w.$]+)\(", defined)) if self.short else Counter()
        for name, (header, size) in self.short.items():
            if size * calls[name] <= _MOST_INLINED:
                defined = defined.replace(f"{header} {{", f"{header} alwaysinline {{", 1)
        return defined

    def _defined_names(self) -> set[str]:
        names: set[str] = set()
        for f in self.functions:
            for line in f.splitlines():
                if line.startswith("define "):
                    start = line.index("@")
                    names.add(line[start : line.index("(", start) + 1])
        return names


class FunctionBuilder:
    """Instructions of one function, block by block."""

    def __init__(self, module: ModuleBuilder) -> None:
        self.module = module
        self._entry: list[str] = []
        self._lines: list[str] = []
        self._counter = itertools.count()
        self.block = "entry"
        # How many loops there are so far that LLVM may not write out.
        self.loops = 0
        # How the function ends after an error was reported.
        self.failure = "ret void"
        # The job whose task the function is part of (see runtime/threads.py), where there is one.
        self.job = "null"
        # Heap storage in use where control stands.
        self.owned: list[str] = []
        # The halide_buffer_t of arrays that may have memory on a device.
        self.on_device: list[str] = []
        # Where kernels are launched: where what the run time knows of them is kept, the device interface that buffers
        # get, and the context that the run time is called with.
        self.kernels, self.interface, self.context = "", "null", "null"
        # Where the profiler keeps the time of the last change between Funcs.
        self.clock: str | None = None

    def emit(self, instruction: str) -> str:
        """Appends an instruction with a result; the result's name."""
        name = f"%t{next(self._counter)}"
        self._lines.append(f"  {name} = {instruction}")
        return name

    def do(self, instruction: str) -> None:
        """Appends an instruction without a result."""
        self._lines.append(f"  {instruction}")

    def alloca(self, type_text: str, count: int = 1, align: int = 64) -> str:
        """Stack storage in the function's entry block, made once however often control passes."""
        name = f"%a{next(self._counter)}"
        size = f", i64 {count}" if count != 1 else ""
        self._entry.append(f"  {name} = alloca {type_text}{size}, align {align}")
        return name

    def label(self, base: str) -> str:
        return f"{base}{next(self._counter)}"

    def start(self, label: str) -> None:
        """Begins the block `label`."""
        self._lines.append(f"{label}:")
        self.block = label

    def branch(self, target: str) -> None:
        self.do(f"br label %{target}")

    def branch_if(self, condition: str, yes: str, no: str, likely: bool = False) -> None:
        weights = ", !prof !0" if likely else ""
        self.do(f"br i1 {condition}, label %{yes}, label %{no}{weights}")

    def loop_back(self, condition: str, head: str, after: str, advice: str) -> None:
        """The branch at the end of a loop, back to `head` or on; `advice`: metadata that LLVM heeds."""
        self.do(f"br i1 {condition}, label %{head}, label %{after}{advice}")

    def say(self, message: str) -> None:
        """Reports the error that the string `message` tells, unless failures are none here."""
        if self.context == "null":
            self.do(f"call void @halide_error(ptr null, ptr {message})")
        else:
            self.do(f"call void @hl.cuda.say(ptr {self.context}, ptr {message})")

    def fail(self, status: str | None = None) -> None:
        """Leaves the function after an error was reported, with the code `status` where the function has a result."""
        for buffer in reversed(self.on_device):
            self.emit(f"call i32 @halide_device_free(ptr {self.context}, ptr {buffer})")
        for pointer in reversed(self.owned):
            self.do(f"call void @halide_free(ptr null, ptr {pointer})")
        has_result = status is not None and self.failure.startswith("ret i32")
        self.do(f"ret i32 {status}" if has_result else self.failure)

    def intrinsic(self, name: str, t: Type, arguments: list[str], result: Type | None = None) -> str:
        """A call of llvm.<name>.<type>; `arguments` carry their types."""
        full = f"llvm.{name}.{mangle(t)}"
        kinds = [_type_of_argument(a) for a in arguments]
        out = llvm_type(result if result is not None else t)
        self.module.declare(full, out, kinds, "")
        return self.emit(f"call {out} @{full}({', '.join(arguments)})")

    def size(self) -> int:
        """How many instructions there are so far."""
        return len(self._lines)

    def finish(self, header: str) -> None:
        """Adds the function `header` (define ... without the brace) to the module."""
        text = "\n".join([f"{header} {{", "entry:", *self._entry, "  br label %body", "body:", *self._lines, "}"])
        self.module.functions.append(text.replace("label %entry", "label %body"))


def _type_of_argument(argument: str) -> str:
    """The type part of "type operand"; vector types contain spaces."""
    if argument.startswith("<"):
        return argument[: argument.index(">") + 1]
    return argument.split(" ", 1)[0]
