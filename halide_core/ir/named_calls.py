"""Calls that mean something by their names: effects, gathers, what a device does with lanes and elements, buffers, and
questions about the target."""

from __future__ import annotations

from halide_core.ir.expr import Call, CallType, Expr
from halide_core.ir.types import Handle

# The name of a Call of which each argument in turn is taken, in all of an update's scatters and gathers at once.
SCATTER_GATHER = "scatter_gather"


def is_scatter(e: Expr) -> bool:
    """Whether `e` is a scatter or a gather of the DSL."""
    return isinstance(e, Call) and e.name == SCATTER_GATHER and e.call_type is CallType.EXTERN


# Names of Calls with effects: (condition, value, what to write...), with the value of `value`.
PRINT, REQUIRE = "halide_print", "halide_require"
# (true, value, what happens, coordinates...): says that the value is loaded or stored, all lanes of a vector in a line.
TRACE = "halide_trace"


def has_effect(e: Expr) -> bool:
    """Whether `e` prints or may end the program."""
    return isinstance(e, Call) and e.name in (PRINT, REQUIRE, TRACE) and e.call_type is CallType.EXTERN


# Names of Calls that stand for the value of an element after an atomic update: ATOMIC + operation, of what the element
# is updated by.  Such a Call is the whole value of a Store.
ATOMIC = "gpu_atomic_"


# The name of a Call (index, bytes) for an index from which on a vector lies at a multiple of so many bytes.
ALIGNED_INDEX = "gpu_aligned_index"


def is_aligned_index(e: Expr) -> bool:
    """Whether `e` is an index whose element lies at a multiple of some bytes."""
    return isinstance(e, Call) and e.name == ALIGNED_INDEX and e.call_type is CallType.EXTERN


# Names of Calls (value, lane or distance, lanes that belong together, how many of these take part if not all):
# SHUFFLE + idx, up, down, the value that another lane of a warp has, as in shfl.sync of PTX.  All that take part must
# come to it together.
SHUFFLE = "gpu_shuffle_"


def is_shuffle(e: Expr) -> bool:
    """Whether `e` is a value of another lane."""
    return isinstance(e, Call) and e.name.startswith(SHUFFLE) and e.call_type is CallType.EXTERN


def is_atomic(e: Expr) -> bool:
    """Whether `e` is what an element holds after an atomic update."""
    return isinstance(e, Call) and e.name.startswith(ATOMIC) and e.call_type is CallType.EXTERN


# Name of the Call that stands for a halide_buffer_t: (element, then min, extent and stride of each dimension).  The
# element is the one at the mins where there is memory, and undef where there is none.  Without bounds: the whole array.
BUFFER = "hl.buffer"


def buffer_of(element: Expr, bounds: tuple[Expr, ...] = ()) -> Call:
    """The halide_buffer_t that starts with `element`."""
    return Call(Handle(), BUFFER, (element, *bounds), CallType.INTRINSIC)


def buffer_dimensions(e: Call) -> int:
    """How many dimensions the buffer has."""
    element = e.args[0]
    if len(e.args) == 1:
        return len(element.args) if isinstance(element, Call) else 0
    return (len(e.args) - 1) // 3


def is_buffer(e: Expr) -> bool:
    """Whether `e` stands for a halide_buffer_t."""
    return isinstance(e, Call) and e.name == BUFFER and e.call_type is CallType.INTRINSIC


# Names of Calls that ask about the target.
ARCH, OS, FEATURE = "target_arch_is", "target_os_is", "target_has_feature"
BITS, NATURAL_VECTOR = "target_bits", "target_natural_vector_size"


def is_target_query(e: Expr) -> bool:
    """Whether `e` asks about the target that code is compiled for."""
    names = (ARCH, OS, FEATURE, BITS, NATURAL_VECTOR)
    return isinstance(e, Call) and e.name in names and e.call_type is CallType.EXTERN
