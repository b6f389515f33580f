"""Numbers that Intel's headers have names for, as defines."""

from __future__ import annotations

import itertools

_COMPARISONS = (
    "EQ_OQ LT_OS LE_OS UNORD_Q NEQ_UQ NLT_US NLE_US ORD_Q EQ_UQ NGE_US NGT_US FALSE_OQ NEQ_OQ GE_OS GT_OS TRUE_UQ "
    "EQ_OS LT_OQ LE_OQ UNORD_S NEQ_US NLT_UQ NLE_UQ ORD_S EQ_US NGE_UQ NGT_UQ FALSE_OS NEQ_OS GE_OQ GT_OQ TRUE_US"
)
"""Predicates of floats, from 0 on."""
_OF_INTEGERS = "EQ LT LE UNUSED NE NLT NLE"
"""Predicates of integers, from 0 on."""


def defines() -> list[str]:
    """The lines of a header."""
    out = [f"#define _CMP_{name} {k}" for k, name in enumerate(_COMPARISONS.split())]
    out += [f"#define _MM_CMPINT_{name} {k}" for k, name in enumerate(_OF_INTEGERS.split())]
    out += ["#define _MM_CMPINT_GE 5", "#define _MM_CMPINT_GT 6"]
    out += [f"#define _MM_TERNLOG_{name} {value}" for name, value in (("A", 0xF0), ("B", 0xCC), ("C", 0xAA))]
    lanes = itertools.product(range(4), repeat=4)
    out += [f"#define _MM_PERM_{''.join('ABCD'[n] for n in four)} {k}" for k, four in enumerate(lanes)]
    return out
