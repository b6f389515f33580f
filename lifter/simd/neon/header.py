"""The text of `arm_neon.h`: registers, prototypes, and the intrinsics on structures of registers, which are written
with simpler ones."""

from __future__ import annotations

from functools import lru_cache

from lifter.simd.neon.meanings import signatures
from lifter.simd.neon.table_rows import ALL, BOTH, scalar_name, type_of, vector_name

# The front end takes a register of `long long` for one of any lanes (`types.register_element`).
_ELEMENTS = {
    "s8": "signed char", "u8": "unsigned char", "s16": "short", "u16": "unsigned short", "s32": "int",
    "u32": "unsigned int", "s64": "long", "u64": "unsigned long", "f32": "float", "f64": "double",
}  # fmt: skip
_COUNTS = (2, 3, 4)


def _registers() -> list[str]:
    out = ["typedef float float32_t;", "typedef double float64_t;"]
    for suffix, element in _ELEMENTS.items():
        for bits in BOTH:
            name = vector_name(type_of(suffix), bits)
            out.append(f"typedef {element} {name} __attribute__((__vector_size__({bits // 8})));")
            for count in _COUNTS:
                structure = name.replace("_t", f"x{count}_t")
                out.append(f"typedef struct {structure} {{ {name} val[{count}]; }} {structure};")
    return out


def _inline(result: str, name: str, parameters: str, body: str) -> str:
    return f"static inline {result} {name}({parameters}) {{ {body} }}"


def _structures() -> list[str]:
    out: list[str] = []
    for suffix in ALL.split():
        t = type_of(suffix)
        scalar = scalar_name(t)
        for bits in BOTH:
            q = "q" if bits == 128 else ""
            vector = vector_name(t, bits)
            for n in _COUNTS:
                whole = vector.replace("_t", f"x{n}_t")
                given = ", ".join(f"v.val[{k}]" for k in range(n))

                def made(parts: list[str], name: str, parameters: str, whole: str = whole) -> str:
                    stores = " ".join(f"r.val[{k}] = {e};" for k, e in enumerate(parts))
                    return _inline(whole, name, parameters, f"{whole} r; {stores} return r;")

                lanes = bits // t.bits
                out.append(made([f"lift_ld{n}_{k}{q}_{suffix}(p)" for k in range(n)],
                                f"vld{n}{q}_{suffix}", f"{scalar} const* p"))  # fmt: skip
                out.append(made([f"vld1{q}_dup_{suffix}(p + {k})" for k in range(n)],
                                f"vld{n}{q}_dup_{suffix}", f"{scalar} const* p"))  # fmt: skip
                out.append(made([f"vld1{q}_{suffix}(p + {k * lanes})" for k in range(n)],
                                f"vld1{q}_{suffix}_x{n}", f"{scalar} const* p"))  # fmt: skip
                out.append(_inline("void", f"vst{n}{q}_{suffix}", f"{scalar}* p, {whole} v",
                                   f"lift_st{n}{q}_{suffix}(p, {given});"))  # fmt: skip
                stores = " ".join(f"vst1{q}_{suffix}(p + {k * lanes}, v.val[{k}]);" for k in range(n))
                out.append(_inline("void", f"vst1{q}_{suffix}_x{n}", f"{scalar}* p, {whole} v", stores))
                if suffix in ("u8", "s8"):
                    index = vector_name(type_of("u8"), bits)
                    table = vector_name(t, 128).replace("_t", f"x{n}_t")
                    out.append(_inline(vector, f"vqtbl{n}{q}_{suffix}", f"{table} v, {index} i",
                                       f"return lift_qtbl{n}{q}_{suffix}({given}, i);"))  # fmt: skip
                    if not q:
                        out.append(_inline(vector, f"vtbl{n}_{suffix}", f"{whole} v, {vector} i",
                                           f"return lift_tbl{n}_{suffix}({given}, i);"))  # fmt: skip
                if n == 2 and t.bits != 64:
                    for name in ("zip", "uzp", "trn"):
                        out.append(made([f"v{name}{k}{q}_{suffix}(a, b)" for k in (1, 2)],
                                        f"v{name}{q}_{suffix}", f"{vector} a, {vector} b"))  # fmt: skip
    return out


@lru_cache(maxsize=1)
def text() -> str:
    """The header."""
    lines = ["#ifndef LIFT_ARM_NEON_H", "#define LIFT_ARM_NEON_H", "#include <stdint.h>", *_registers()]
    lines += ["#ifdef __cplusplus", 'extern "C" {', "#endif"]
    lines += [f"{result} {name}({', '.join(operands)});" for name, (result, operands) in signatures().items()]
    lines += [*_structures(), "#ifdef __cplusplus", "}", "#endif", "#endif"]
    return "\n".join(lines) + "\n"
