"""What attributes and pragmas say of a program beyond what libclang's tree shows.

Each one is on a list with a reason, or what it stands at is refused.  The text is preprocessed, so that names that come
from macros are seen like others.  Source: GCC's manual, "Declaring Attributes of Functions" and "Pragmas Accepted by
GCC"."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from clang.cindex import Cursor, CursorKind, TranslationUnit

from lifter.frontend.clang.libclang import children
from lifter.toolchain.preprocess import SourceText

_HARMLESS = frozenset(" ".join((
    # Hints to the compiler about how to make code, or what to tell people.
    "unused used maybe_unused always_inline noinline noclone noipa no_icf cold hot flatten artificial deprecated",
    "unavailable error warning warn_unused_result warn_unused nodiscard format format_arg sentinel nonstring",
    "designated_init access fd_arg fd_arg_read fd_arg_write tainted_args fallthrough likely unlikely diagnose_if",
    "warn_if_not_aligned strict_flex_array counted_by null_terminated_string_arg no_reorder nothrow leaf returns_twice",
    "malloc alloc_size alloc_align assume_aligned returns_nonnull nonnull const pure noreturn assume unsequenced",
    "reproducible carries_dependency no_sanitize no_sanitize_address no_sanitize_thread no_sanitize_undefined",
    "no_address_safety_analysis no_sanitize_coverage no_stack_protector stack_protect no_split_stack",
    "no_instrument_function no_profile_instrument_function patchable_function_entry nocf_check force_align_arg_pointer",
    "zero_call_used_regs indirect_branch function_return noplt simd retain lifetimebound expected_throw",
    # Where and under which names the linker puts it, which a drop-in keeps.
    "visibility type_visibility externally_visible section tls_model common nocommon abi_tag init_priority gnu_inline",
    # What the calling convention is anyway.
    "sysv_abi cdecl gcc_struct",
    # What the tree shows.
    "aligned packed vector_size mode may_alias noescape overloadable transparent_union no_unique_address",
    "ext_vector_type enum_extensibility flag_enum alignas",
    # What the front end asks for where it matters.
    "weak cleanup",
)).split())
_TARGET = frozenset(("target",))
_OPTIMIZE = frozenset(("optimize",))
_SURE_OPTIONS = re.compile(
    r'"?(-?O?[0123gsz]|(-?f)?(no-)?(unroll|tree|inline|omit-frame-pointer|strict-aliasing|vect|ipa|gcse|peel|split|align|prefetch|move'
    r'|predictive|schedule|wrapv|graphite|loop|peephole|optimize-sibling-calls|rename|web|ivopts|ira|unswitch'
    r'|variable-expansion)[\w=-]*)"?'
)
_FLOAT_OPTIONS = re.compile(
    r"(-?f)?(no-)?(fast-math|unsafe-math-optimizations|associative-math|reciprocal-math|finite-math-only|signed-zeros"
    r"|math-errno|trapping-math|rounding-math|single-precision-constant|signaling-nans|fp-contract=\w+)|-?Ofast"
)
_PRAGMAS = re.compile(
    r"once|pack\b.*|message\b.*|region\b.*|endregion\b.*|mark\b.*|push_macro\b.*|pop_macro\b.*|warning\b.*|GCC\s+(diagnostic|ivdep|unroll"
    r"|visibility|system_header|poison|dependency|warning|error|push_options|pop_options|reset_options|target"
    r"|novector)\b.*|clang\s+(diagnostic|loop|system_header|assume_nonnull|module)\b.*|ms_struct\s+off|unroll\b.*|nounroll\b.*"
    r"|ivdep\b.*|vector\b.*|simd\b.*|novector\b.*|inline\b.*|optimize\b.*|comment\b.*|intrinsic\b.*|function\b.*|ident\b.*"
    r"|STDC\s+FP_CONTRACT\s+OFF|STDC\s+FENV_ACCESS\s+(OFF|DEFAULT)|STDC\s+CX_LIMITED_RANGE\s+(OFF|DEFAULT)",
    re.DOTALL,
)
"""`pack` is in the tree; the others are hints, or of compilers whose text this is not."""
_OPENMP = re.compile(
    r"omp\s+(parallel\s+for|parallel\s+for\s+simd|for|for\s+simd|simd|parallel)\b"
    r"(\s*,?\s*(nowait|(schedule|shared|num_threads|collapse|default|if|private|proc_bind|safelen|simdlen|aligned)"
    r"\s*\((?:[^()]|\([^()]*\))*\)))*\s*"
)
"""Loops whose iterations may run in any order: where that is so, and no reduction adds floats, any order is right."""
_NAMES = re.compile(
    rb'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|\b(?:__attribute__|__attribute|__declspec)\b|\[\[|__PRETTY_FUNCTION__'
    rb"|__builtin_(?:LINE|FILE|FUNCTION|COLUMN)\b|^[ \t]*#[ \t]*pragma\b[^\n]*|\b_Pragma\b",
    re.MULTILINE,
)
_IN_SYSTEM = re.compile(
    rb"^[ \t]*#[ \t]*pragma[ \t]+(?:GCC[ \t]+optimize|STDC|scalar_storage_order|float_control|fp_contract)\b[^\n]*"
    rb"|\b__attribute__\s*\(\s*\(\s*(?:__)?(?:optimize|ms_abi|scalar_storage_order|regparm|ifunc|alias)\b",
    re.MULTILINE,
)
_WEAK = re.compile(rb"\b(?:__)?weak(?:__)?\b(?=\s*[,)\]])|\bweakref\b")
_FUSING = re.compile(rb'\btarget(?:__)?\s*\(\s*"[^"]*(?:fma|avx512|arch=)')
_FUNCTIONS = {
    *(CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.FUNCTION_TEMPLATE, CursorKind.CONSTRUCTOR),
    *(CursorKind.DESTRUCTOR, CursorKind.CONVERSION_FUNCTION),
}


@dataclass(frozen=True, slots=True)
class Caution:
    """Something that is not modelled: where in the text, the user's line, and what it is."""

    offset: int
    line: int
    what: str
    floats: bool = False
    """Whether only floating point depends on it."""


@dataclass(slots=True)
class Cautions:
    """The cautions of a file, by what they are about."""

    whole: list[Caution] = field(default_factory=list)
    """At no function: of all of them."""
    spans: list[tuple[int, int, Caution]] = field(default_factory=list)
    names: dict[str, Caution] = field(default_factory=dict)
    """Of functions that are declared with one, by USR."""
    weak: set[str] = field(default_factory=set)
    """Names in declarations of weak symbols, the symbols' own among them."""
    floats: list[Caution] = field(default_factory=list)
    """Of all floating point in the file, wherever they stand."""
    fuses: bool = False
    """Whether some functions are compiled for a processor that rounds a product and a sum once."""

    def of(self, c: Cursor) -> list[Caution]:
        """What is not modelled of a function."""
        found = list(self.whole)
        start = c.extent.start.offset if c.is_definition() else c.location.offset
        found += [k for a, b, k in self.spans if a <= start < b]
        named = self.names.get(c.get_usr())
        return found if named is None or named in found else [*found, named]


def cautions(
    text: SourceText, unit: TranslationUnit, others: Sequence[tuple[int, str]] = (), openmp: bool = False
) -> Cautions:
    """What a file's attributes, pragmas and own names say that is not modelled; `others`: what else, and where."""
    found = list(_scanned(text, openmp))
    found += [Caution(o, text.place(o)[1], said) for o, said in others]
    result = Cautions(floats=[k for k in found if k.floats], fuses=_FUSING.search(text.text) is not None)
    result.weak = {name for m in _WEAK.finditer(text.text) for name in _declared_around(text.text, m.start())}
    found = [k for k in found if not k.floats]
    if not found:
        return result
    territories = sorted(_territories(unit.cursor, text.text), key=lambda t: t[:2])
    for caution in found:
        around = [t for t in territories if t[0] <= caution.offset < t[1]]
        if not around:
            result.whole.append(caution)
        for start, end, c in around:
            result.spans.append((start, end, caution))
            result.names[c.get_usr()] = caution
    return result


def _declared_around(text: bytes, offset: int) -> Iterator[str]:
    """The names in the declaration around an offset."""
    start = max(text.rfind(mark, 0, offset) for mark in (b";", b"}", b"{", b"\n#"))
    ends = [k for k in (text.find(mark, offset) for mark in (b";", b"{")) if k >= 0]
    for name in re.findall(rb"[A-Za-z_]\w*", text[start + 1 : min(ends, default=len(text))]):
        yield name.decode()


def of_header(path: str, openmp: bool) -> Iterator[str]:
    """What an included file says that is not modelled, where no compiler puts it into the text."""
    with open(path, "rb") as f:
        text = SourceText(f.read(), "")
    for caution in _own(text, 0, len(text.text), openmp):
        yield f"{caution.what} in {path}"


def _scanned(text: SourceText, openmp: bool) -> Iterator[Caution]:
    whole = text.text
    starts = [r.start for r in text.regions]
    for k, region in enumerate(text.regions):
        end = text.regions[k + 1].start if k + 1 < len(starts) else len(whole)
        if not region.system:
            yield from _own(text, region.start, end, openmp)
    if not text.regions:
        yield from _own(text, 0, len(whole), openmp)
    for m in _IN_SYSTEM.finditer(whole):
        k = bisect_right(starts, m.start()) - 1
        if k >= 0 and text.regions[k].system:
            yield from _own(text, m.start(), m.end() + 200, openmp, once=True)


def _own(text: SourceText, start: int, end: int, openmp: bool, once: bool = False) -> Iterator[Caution]:
    whole = text.text
    position = start
    while (m := _NAMES.search(whole, position, end)) is not None:
        position = m.end()
        word = m.group().strip()
        if word.startswith((b'"', b"'")):
            continue
        if word.startswith(b"#"):
            said, floats = _of_pragma(word.partition(b"pragma")[2].decode("utf-8", "replace").strip(), openmp)
        elif word.startswith(b"__PRETTY"):
            said, floats = _of_pretty(whole, m.start()), False
        elif word.startswith((b"__builtin", b"_Pragma")):
            said, floats = f"'{word.decode()}'", False
        else:
            position = _closing(whole, m.start())
            said, floats = _of_attributes(whole[m.start() : position].decode("utf-8", "replace"))
        if said:
            yield Caution(m.start(), text.place(m.start())[1], said, floats)
        if once:
            return


def _closing(text: bytes, start: int) -> int:
    """The end of the brackets that open at or after an offset."""
    depth, k = 0, start
    while k < len(text):
        byte = text[k : k + 1]
        depth += byte in (b"(", b"[")
        if byte in (b")", b"]"):
            depth -= 1
            if depth == 0:
                return k + 1
        if depth == 0 and byte in (b";", b"{", b"\n"):
            return k
        k += 1
    return k


def _of_attributes(text: str) -> tuple[str, bool]:
    """What of a list of attributes is not modelled, "" for nothing; and whether only floats depend on it."""
    inner = re.sub(r"^(__attribute__|__attribute|__declspec)\s*", "", text).strip()
    for _ in range(2):
        if inner[:1] in "([" and inner[-1:] in ")]":
            inner = inner[1:-1].strip()
    inner = re.sub(r"^using\s+\w+\s*:", "", inner)
    for attribute in _split(inner):
        head, _, rest = attribute.partition("(")
        name = head.strip().rpartition("::")[2].strip()
        name = name[2:-2] if name.startswith("__") and name.endswith("__") and len(name) > 4 else name
        arguments = [a.strip() for a in _split(rest.rstrip().removesuffix(")"))] if rest else []
        if name == "" or name in _HARMLESS or name in _TARGET:
            continue
        if name in _OPTIMIZE:
            if all(_SURE_OPTIONS.fullmatch(o) for a in arguments for o in a.strip('"').split(",") if o):
                continue
            return f"the attribute 'optimize({', '.join(arguments)})'", False
        return f"the attribute '{name}'", False
    return "", False


def _split(text: str) -> Iterator[str]:
    """The parts between commas outside of brackets and strings."""
    depth, quoted, start = 0, False, 0
    for k, byte in enumerate(text):
        if byte == '"' and text[k - 1 : k] != "\\":
            quoted = not quoted
        elif not quoted and byte in "([{":
            depth += 1
        elif not quoted and byte in ")]}":
            depth -= 1
        elif not quoted and byte == "," and depth == 0:
            yield text[start:k]
            start = k + 1
    yield text[start:]


def _of_pragma(text: str, openmp: bool) -> tuple[str, bool]:
    if text.startswith("omp"):
        known = not openmp or _OPENMP.fullmatch(text)
        return ("" if known else f"'#pragma {text}'"), False
    if re.match(r"GCC\s+optimize\b", text):
        given = re.findall(r'"[^"]*"|\b\w[\w=-]*', text.partition("optimize")[2])
        options = [o.strip() for some in given for o in some.strip('"').split(",") if o.strip()]
        unsure = [o for o in options if not _SURE_OPTIONS.fullmatch(o)]
        return (f"'#pragma {text}'" if unsure else ""), all(map(_FLOAT_OPTIONS.fullmatch, unsure))
    if re.match(r"STDC\s+FP_CONTRACT|clang\s+fp\b|float_control\b|fp_contract\b", text):
        return ("" if _PRAGMAS.fullmatch(text) else f"'#pragma {text}'"), True
    return ("" if _PRAGMAS.fullmatch(text) else f"'#pragma {text}'"), False


def _of_pretty(text: bytes, offset: int) -> str:
    """Each compiler spells a function's name in full in its own way; what failing asserts print does not matter."""
    call = text.rfind(b"__assert_fail", max(0, offset - 4096), offset)
    return "" if call >= 0 and b"}" not in text[call:offset] else "'__PRETTY_FUNCTION__'"


def _territories(scope: Cursor, text: bytes) -> Iterator[tuple[int, int, Cursor]]:
    """Where each function stands, with what is written before and behind it."""
    for c in children(scope):
        if c.kind in _FUNCTIONS:
            start, end = c.extent.start.offset, c.extent.end.offset
            before = max(text.rfind(mark, 0, start) for mark in (b";", b"}", b"{", b"\n#"))
            if text[before : before + 2] == b"\n#":
                before = text.find(b"\n", before + 1)
            if not c.is_definition():
                behind = text.find(b";", end)
                end = behind if behind >= 0 else end
            yield before + 1, end, c
        elif c.kind.is_declaration():
            yield from _territories(c, text)
