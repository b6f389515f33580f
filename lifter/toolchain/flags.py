"""Compilers' flags: what each is to the lifter.

Every flag goes to the program's own compiler, which preprocesses the text and compiles the original.  A flag is known
here for one of four reasons: the preprocessor has done its work already, libclang is told of it, it says how floating
point is computed (which the compiler is asked, `compiler.py`), or it does not change what a function computes.  Any
other flag is refused by name.  Source: GCC's manual, "Option Summary"."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

_WITH_VALUE = {
    *("-D", "-U", "-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-isysroot", "-iprefix"),
    *("-iwithprefix", "-iwithprefixbefore", "-imultilib", "-x", "-A", "-Xpreprocessor", "-Xassembler", "-Xlinker"),
    *("-o", "-MF", "-MT", "-MQ", "-aux-info", "-L", "-l", "-T", "-u", "-z", "-e", "-B", "-G", "--param", "-target"),
    *("-arch", "-Xclang", "-mllvm", "-dumpbase", "-dumpdir", "-dumpbase-ext"),
    *("--define-macro", "--undefine-macro", "--include", "--imacros", "--include-directory", "--sysroot", "--language"),
    *("--include-directory-after", "--include-prefix", "--include-with-prefix", "--output", "--std", "--optimize"),
    *("--include-with-prefix-after", "--include-with-prefix-before", "--target", "--assert", "--library-directory"),
}
"""Flags whose value may be an argument of its own."""

_WHAT_IS_WRITTEN = re.compile(
    r"-[cSEPC]|-CC|-o.*|-M.*|--output.*|-Wp,-M.*|-save-temps.*|-time.*|-v|-###|-Q|--compile|--assemble|--preprocess"
    r"|-dump(base|dir|base-ext)|-f(no-)?directives-only|-fpch-preprocess|-fsyntax-only|-d[A-Z]+|-f(plugin|dump|report|opt-info).*"
)
"""Left out: the lifter says what is to be written, and where."""

_KNOWN = re.compile("|".join((
    # The preprocessor's work, and that of tools after the compiler.
    r"-[DUIAB].*|-(isystem|iquote|idirafter|include|imacros|isysroot|iprefix|iwithprefix|iwithprefixbefore|imultilib).*",
    r"-Wp,.*|-Xpreprocessor|-nostdinc(\+\+)?|-undef|-trigraphs|--sysroot.*|-no-integrated-cpp|-remap",
    r"--(define-macro|undefine-macro|include|imacros|include-.*|assert|no-standard-includes|trigraphs)(=.*)?",
    r"-f(no-)?(working-directory|extended-identifiers|track-macro-expansion.*|preprocessed|canonical-system-headers)",
    r"-f(macro|file|debug|profile)-prefix-map=.*|-ftabstop=.*|-stdlib=.*|-Xassembler|-Xlinker|-W[al],.*|-[lLTuze].*",
    r"-(static|shared|rdynamic|pie|no-pie|static-pie|s|r|nostdlib|nodefaultlibs|nostartfiles|nolibc|symbolic)",
    r"-static-lib.*|-fuse-ld=.*|-fuse-linker-plugin|-specs=.*|-aux-info|-fno-use-linker-plugin",
    # What is told to people and to debuggers.
    r"-W.*|-w|-pedantic.*|--(warn|pedantic|all-warnings|extra-warnings|debug).*|-g.*|-f(no-)?diagnostics-.*",
    r"-fmessage-length=.*|-fmax-errors=.*|-ferror-limit.*|-f(no-)?show-.*|-fcolor-diagnostics|-fansi-escape-codes",
    r"-fconcepts-diagnostics-depth=.*|-ftemplate-.*|-fconstexpr-.*|-pipe|-f(no-)?ident|-f(no-)?verbose-asm",
    r"-f(no-)?(var-tracking|debug|dwarf|eliminate|stack-usage|callgraph-info).*|-f(no-)?record-.*|-frandom-seed.*",
    r"-p|-pg|-f(no-)?(profile|test-coverage|branch-probabilities|auto-profile).*|--coverage",
    # How code is made, which leaves its meaning.
    r"-O.*|--optimize.*|--param.*|-m(no-)?(tune|arch|cpu)(=.*)?|-mcmodel=.*|-m64|-m(no-)?prefer-vector-width.*",
    r"-m(no-)?(mmx|sse|ssse|avx|fma|f16c|bmi|abm|popcnt|lzcnt|movbe|aes|vaes|sha|pclmul|vpclmul|gfni|adx|rdrnd|rdseed|fsgsbase)"
    r"[\w.-]*",
    r"-m(no-)?(prfchw|prefetchwt1|xsave\w*|clflushopt|clwb|fxsr|rtm|hle|cx16|sahf|crc32|3dnow|tbm|xop|lwp|pku|waitpkg)",
    r"-m(no-)?(red-zone|stackrealign|vzeroupper|omit-leaf-frame-pointer|tls-direct-seg-refs|indirect-branch.*)",
    r"-m(no-)?(function-return.*|branch-protection.*|outline-atomics|accumulate-outgoing-args|push-args)",
    r"-f(no-)?(PIC|pic|PIE|pie|plt|common|lto.*|fat-lto-objects|whole-program|semantic-interposition|jump-tables)",
    r"-f(no-)?(visibility.*|stack-protector.*|stack-clash-protection|stack-check.*|cf-protection.*|split-stack)",
    r"-f(no-)?(function-sections|data-sections|exceptions|non-call-exceptions|rtti|unwind-tables|threadsafe-statics)",
    r"-f(no-)?(asynchronous-unwind-tables|omit-frame-pointer|optimize-sibling-calls|zero-call-used-regs.*|hardened)",
    r"-f(no-)?(inline|early-inlining|ipa|tree|loop|unroll|vect|gcse|schedule|sched|align|reorder|split|peel|prefetch).*",
    r"-f(no-)?(graphite|if-conversion|crossjumping|cse|cprop|dce|dse|devirtualize|expensive|forward-propagate).*",
    r"-f(no-)?(hoist|ira|lra|isolate|keep|live|merge|modulo|move|partial|predictive|code-hoisting|combine|compare).*",
    r"-f(no-)?(rename-registers|rerun|ree|rounding-math|section-anchors|shrink-wrap|ssa|stdarg-opt|store-merging).*",
    r"-f(no-)?(strict-aliasing|strict-overflow|delete-null-pointer-checks|delete-dead-exceptions|thread-jumps|web)",
    r"-f(no-)?(toplevel-reorder|unit-at-a-time|unswitch-loops|use-cxa-atexit|version-loops.*|weak|wrapv.*)|-fno-trapv",
    r"-f(no-)?(caller-saves|auto-inc-dec|branch-count-reg|defer-pop|function-cse|guess-branch-probability|bit-tests)",
    r"-f(no-)?(builtin.*|hosted|freestanding|gnu-keywords|asm|implicit-templates|implicit-inline-templates|elide-.*)",
    r"-f(no-)?(sanitize.*|openmp.*|openacc|gnu-tm|tls-model.*|trampolines|allow-store-data-races|analyzer.*)",
    r"-f(no-)?(new-ttp-matching|nonansi-builtins|operator-names|pretty-templates|nothrow-opt|sized-deallocation)",
    r"-f(no-)?(aligned-new.*|access-control|abi-version.*|abi-compat-version.*|enforce-eh-specs|ext-numeric-literals)",
    r"-f(no-)?(concepts|coroutines|implicit-constexpr|module-.*|permissive|strict-enums|strong-eval-order.*)",
    r"-(m)?(no-)?pthreads?|-pthread|-mllvm|-f(no-)?integrated-as|-Qunused-arguments|-f(no-)?spell-checking",
    # How floats are computed: the compiler is asked (`compiler.float_rules`).
    r"-f(no-)?(fast-math|unsafe-math-optimizations|associative-math|reciprocal-math|finite-math-only|signed-zeros)",
    r"-f(no-)?(trapping-math|math-errno|single-precision-constant|signaling-nans|cx-limited-range|cx-fortran-rules)",
    r"-ffp-(contract|model|eval-method|exception-behavior|int-builtin-inexact).*|-fno-fp-int-builtin-inexact",
    r"-fexcess-precision=.*|-f(no-)?float-store|-m(no-)?fpmath=.*|-m(no-)?recip.*|-f(no-)?(honor-(nans|infinities)|approx-func)",
)))

_FOR_CLANG = re.compile(
    r"-std=.*|--std=.*|-ansi|-f(no-)?(un)?signed-char|-f(no-)?short-enums|-f(no-)?short-wchar|-f(no-)?ms-extensions"
    r"|-f(no-)?char8_t|-fpack-struct.*|-f(no-)?gnu89-inline|-f(no-)?exceptions|-f(no-)?rtti|-f(no-)?coroutines|-f(no-)?permissive"
    r"|--target=.*|-f(no-)?access-control|-f(no-)?aligned-new.*|-f(no-)?sized-deallocation"
)
"""What changes how text is read: libclang is told."""


def expanded(arguments: Iterable[str], folder: str, depth: int = 0) -> Iterator[str]:
    """The arguments with the contents of `@file` in their place, as compilers read it."""
    for a in arguments:
        file = Path(folder, a[1:])
        if a.startswith("@") and depth < 16 and file.is_file():
            yield from expanded(shlex.split(file.read_text("utf-8", "replace")), folder, depth + 1)
        else:
            yield a


def grouped(arguments: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Each flag with its value where that is an argument of its own; files by themselves."""
    rest = iter(arguments)
    for a in rest:
        if a in _WITH_VALUE:
            value = next(rest, None)
            yield (a,) if value is None else (a, value)
        else:
            yield (a,)


def kept(arguments: Sequence[str], sources: Iterable[str] = ()) -> tuple[str, ...]:
    """The flags that say what is compiled and how: not what is written where, nor the files in `sources`."""
    named = set(sources)
    out: list[str] = []
    for group in grouped(arguments):
        if _WHAT_IS_WRITTEN.fullmatch(group[0]) or group[0] in named or group == ("--",):
            continue
        out += group
    return tuple(out)


def refused(flags: Sequence[str]) -> str | None:
    """The first flag of which it is not known that the text means the same under it."""
    for group in grouped(flags):
        flag = group[0]
        if flag == "-x" or flag.startswith(("-x", "--language")):
            continue
        if not flag.startswith("-"):
            return flag
        if not _KNOWN.fullmatch(flag) and not _FOR_CLANG.fullmatch(flag) and flag not in ("-target", "--std"):
            return " ".join(group)
    return None


def without_target(flags: Sequence[str]) -> tuple[str, ...]:
    """The flags that do not say for which machine code is made."""
    return tuple(
        f for group in grouped(flags) if group[0] != "-target" and not group[0].startswith("--target") for f in group
    )


def for_clang(flags: Sequence[str]) -> list[str]:
    """Of the flags those by which libclang reads preprocessed text as the compiler does."""
    out = []
    for group in grouped(flags):
        if group[0] in ("--std", "--target", "-target") and len(group) == 2:
            out.append(f"{'-std' if 'std' in group[0] else '--target'}={group[1]}")
        elif _FOR_CLANG.fullmatch(group[0]):
            out.append(group[0].replace("--std=", "-std="))
    return out


def language(flags: Sequence[str]) -> str:
    """What `-x` says, the last of them; "" where nothing does."""
    found = ""
    for group in grouped(flags):
        if group[0] in ("-x", "--language"):
            found = group[-1] if len(group) == 2 else ""
        elif group[0].startswith("-x") and len(group[0]) > 2:
            found = group[0][2:]
        elif group[0].startswith("--language="):
            found = group[0].partition("=")[2]
    return found.removesuffix("-header").replace("cpp-output", "").strip("-")
