"""The bundled Halide, under the names of Halide's own Python bindings: `import halide_core as hl`."""

from halide_core import ir as ir
from halide_core.dsl import boundary
from halide_core.dsl.func import Func as Func
from halide_core.dsl.func import FuncRef as FuncRef
from halide_core.dsl.func import Tuple as Tuple
from halide_core.dsl.func import funcs as funcs
from halide_core.dsl.func import vars as vars
from halide_core.dsl.functions import (
    abs as abs,
)
from halide_core.dsl.functions import (
    absd as absd,
)
from halide_core.dsl.functions import (
    acos as acos,
)
from halide_core.dsl.functions import (
    acosh as acosh,
)
from halide_core.dsl.functions import (
    asin as asin,
)
from halide_core.dsl.functions import (
    asinh as asinh,
)
from halide_core.dsl.functions import (
    atan as atan,
)
from halide_core.dsl.functions import (
    atan2 as atan2,
)
from halide_core.dsl.functions import (
    atanh as atanh,
)
from halide_core.dsl.functions import (
    cast as cast,
)
from halide_core.dsl.functions import (
    ceil as ceil,
)
from halide_core.dsl.functions import (
    clamp as clamp,
)
from halide_core.dsl.functions import (
    cos as cos,
)
from halide_core.dsl.functions import (
    cosh as cosh,
)
from halide_core.dsl.functions import (
    count_leading_zeros as count_leading_zeros,
)
from halide_core.dsl.functions import (
    div_round_to_zero as div_round_to_zero,
)
from halide_core.dsl.functions import (
    erf as erf,
)
from halide_core.dsl.functions import (
    exp as exp,
)
from halide_core.dsl.functions import (
    f32 as f32,
)
from halide_core.dsl.functions import (
    f64 as f64,
)
from halide_core.dsl.functions import (
    floor as floor,
)
from halide_core.dsl.functions import (
    fract as fract,
)
from halide_core.dsl.functions import (
    halving_add as halving_add,
)
from halide_core.dsl.functions import (
    halving_sub as halving_sub,
)
from halide_core.dsl.functions import (
    hypot as hypot,
)
from halide_core.dsl.functions import (
    i8 as i8,
)
from halide_core.dsl.functions import (
    i8_sat as i8_sat,
)
from halide_core.dsl.functions import (
    i16 as i16,
)
from halide_core.dsl.functions import (
    i16_sat as i16_sat,
)
from halide_core.dsl.functions import (
    i32 as i32,
)
from halide_core.dsl.functions import (
    i32_sat as i32_sat,
)
from halide_core.dsl.functions import (
    i64 as i64,
)
from halide_core.dsl.functions import (
    i64_sat as i64_sat,
)
from halide_core.dsl.functions import (
    is_finite as is_finite,
)
from halide_core.dsl.functions import (
    is_inf as is_inf,
)
from halide_core.dsl.functions import (
    is_nan as is_nan,
)
from halide_core.dsl.functions import (
    lerp as lerp,
)
from halide_core.dsl.functions import (
    likely as likely,
)
from halide_core.dsl.functions import (
    likely_if_innermost as likely_if_innermost,
)
from halide_core.dsl.functions import (
    log as log,
)
from halide_core.dsl.functions import (
    logical_not as logical_not,
)
from halide_core.dsl.functions import (
    max as max,
)
from halide_core.dsl.functions import (
    min as min,
)
from halide_core.dsl.functions import (
    mod_round_to_zero as mod_round_to_zero,
)
from halide_core.dsl.functions import (
    mul_shift_right as mul_shift_right,
)
from halide_core.dsl.functions import (
    mux as mux,
)
from halide_core.dsl.functions import (
    popcount as popcount,
)
from halide_core.dsl.functions import (
    pow as pow,
)
from halide_core.dsl.functions import (
    reinterpret as reinterpret,
)
from halide_core.dsl.functions import (
    round as round,
)
from halide_core.dsl.functions import (
    rounding_halving_add as rounding_halving_add,
)
from halide_core.dsl.functions import (
    rounding_shift_right as rounding_shift_right,
)
from halide_core.dsl.functions import (
    saturating_add as saturating_add,
)
from halide_core.dsl.functions import (
    saturating_cast as saturating_cast,
)
from halide_core.dsl.functions import (
    saturating_sub as saturating_sub,
)
from halide_core.dsl.functions import (
    select as select,
)
from halide_core.dsl.functions import (
    sin as sin,
)
from halide_core.dsl.functions import (
    sinh as sinh,
)
from halide_core.dsl.functions import (
    sqrt as sqrt,
)
from halide_core.dsl.functions import (
    strict_float as strict_float,
)
from halide_core.dsl.functions import (
    tan as tan,
)
from halide_core.dsl.functions import (
    tanh as tanh,
)
from halide_core.dsl.functions import (
    trunc as trunc,
)
from halide_core.dsl.functions import (
    u8 as u8,
)
from halide_core.dsl.functions import (
    u8_sat as u8_sat,
)
from halide_core.dsl.functions import (
    u16 as u16,
)
from halide_core.dsl.functions import (
    u16_sat as u16_sat,
)
from halide_core.dsl.functions import (
    u32 as u32,
)
from halide_core.dsl.functions import (
    u32_sat as u32_sat,
)
from halide_core.dsl.functions import (
    u64 as u64,
)
from halide_core.dsl.functions import (
    u64_sat as u64_sat,
)
from halide_core.dsl.functions import (
    undef as undef,
)
from halide_core.dsl.functions import (
    widening_add as widening_add,
)
from halide_core.dsl.functions import (
    widening_mul as widening_mul,
)
from halide_core.dsl.functions import (
    widening_sub as widening_sub,
)
from halide_core.dsl.image import Buffer as Buffer
from halide_core.dsl.image import ImageParam as ImageParam
from halide_core.dsl.pipeline import AutoschedulerParams as AutoschedulerParams
from halide_core.dsl.pipeline import Pipeline as Pipeline
from halide_core.dsl.reductions import maximum as maximum
from halide_core.dsl.reductions import minimum as minimum
from halide_core.dsl.reductions import product as product
from halide_core.dsl.reductions import sum as sum
from halide_core.dsl.schedule import Stage as Stage
from halide_core.dsl.variables import Param as Param
from halide_core.dsl.variables import RDom as RDom
from halide_core.dsl.variables import RVar as RVar
from halide_core.dsl.variables import Var as Var
from halide_core.errors import HalideError as HalideError
from halide_core.function import TailStrategy as TailStrategy
from halide_core.ir.expr import Expr as Expr
from halide_core.ir.types import Bool as Bool
from halide_core.ir.types import Float as Float
from halide_core.ir.types import Handle as Handle
from halide_core.ir.types import Int as Int
from halide_core.ir.types import Type as Type
from halide_core.ir.types import TypeCode as TypeCode
from halide_core.ir.types import UInt as UInt
from halide_core.target import Target as Target
from halide_core.target import get_host_target as get_host_target
from halide_core.target import get_jit_target_from_environment as get_jit_target_from_environment

BoundaryConditions = boundary
_0, _1, _2, _3, _4 = (Var(f"_{i}") for i in range(5))
