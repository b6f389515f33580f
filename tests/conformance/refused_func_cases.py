"""Funcs that both modules refuse to define or to run."""

from __future__ import annotations

from typing import Any

from tests.conformance.cases import refusal
from tests.conformance.func_cases import xyz


@refusal("")
def a_func_that_is_not_defined(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f, g = hl.Func("f"), hl.Func("g")
    g[x] = f[x] + 1
    return g.realize([3])


@refusal('Undefined variable "y" in definition of Func "f')
def a_variable_that_is_not_on_the_left(hl: Any) -> Any:
    x, y, _ = xyz(hl)
    hl.Func("f")[x] = x + y


@refusal('Undefined variable "y" in definition of Func "f')
def a_variable_that_is_not_on_the_left_of_an_update(hl: Any) -> Any:
    x, y, _ = xyz(hl)
    f = hl.Func("f")
    f[x] = x
    f[x] += y


@refusal('arguments 0 and 1 both have the name "x"')
def a_variable_twice_on_the_left(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    hl.Func("f")[x, x] = x


@refusal("was called with 2 arguments, but was defined with 1")
def too_many_coordinates(hl: Any) -> Any:
    x, y, _ = xyz(hl)
    f = hl.Func("f")
    f[x] = x
    f[x, y] = x


@refusal("was called with 1 arguments, but was defined with 2")
def too_few_coordinates(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    p = hl.ImageParam(hl.UInt(8), 2, "p")
    hl.Func("f")[x] = p[x]


@refusal("Tuple element 0 of update definition has type float32, but pure definition has type int32")
def an_update_of_another_type(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f = hl.Func("f")
    f[x] = x
    f[x] = hl.f32(x)


@refusal("Number of tuple elements for update definition must match")
def an_update_of_fewer_values(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f = hl.Func("f")
    f[x] = (x, x)
    f[x] = x


@refusal("Multiple reduction domains found in definition of Func")
def two_domains(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    r, s = hl.RDom([(0, 3)]), hl.RDom([(0, 3)])
    f = hl.Func("f")
    f[x] = 0
    f[x] = f[x] + r + s


@refusal("Reduction domain referenced in pure function definition")
def a_domain_in_a_pure_definition(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    hl.Func("f")[x] = x + hl.RDom([(0, 3)])


@refusal("is not a Var")
def a_first_definition_at_a_point(hl: Any) -> Any:
    hl.Func("f")[3] = 1


@refusal("returns a Tuple")
def arithmetic_on_a_tuple(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = (x, x)
    g[x] = f[x] + 1


@refusal("Tuple index out of range")
def an_element_that_is_not_there(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f = hl.Func("f")
    f[x] = (x, x)
    return f[x][2]


@refusal("")
def a_domain_of_two_dimensions_as_a_number(hl: Any) -> Any:
    return hl.RDom([(0, 3), (0, 3)]) + 1


@refusal("may not depend on a call to a Func")
def a_domain_bounded_by_a_func(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f = hl.Func("f")
    f[x] = x
    hl.RDom([(0, f[0])])


@refusal("must reference a reduction domain")
def a_sum_over_nothing(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    hl.sum(x + 1)


@refusal("multiple reduction domains")
def a_sum_over_two_domains(hl: Any) -> Any:
    hl.sum(hl.RDom([(0, 3)]) + hl.RDom([(0, 4)]).x)


@refusal("")
def a_float_as_a_coordinate(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f = hl.Func("f")
    f[x] = x
    return f[hl.f32(x)] + 1


@refusal("int64")
def a_long_coordinate(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f = hl.Func("f")
    f[x] = x
    return f[hl.i64(x)] + 1


@refusal("Tuple element 0 of update definition has type int32, but pure definition has type uint8")
def a_literal_is_an_int32_in_an_update(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f = hl.Func("f")
    f[x] = hl.u8(x)
    f[3] = 255


@refusal("mux() requires all the values to have the same type")
def a_mux_of_two_types(hl: Any) -> Any:
    return hl.mux(hl.Var("x"), [hl.u8(1), hl.u16(2)])


@refusal("do not have a matching type")
def a_select_of_two_types(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    return hl.select(x > 1, hl.u8(1), hl.u16(2) + hl.u16(x))


@refusal("must be a boolean")
def a_select_without_a_condition(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    return hl.select(x, 1, 2)


@refusal("requires all Tuples to have identical sizes")
def a_select_of_tuples_of_two_sizes(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    return hl.select(x > 1, hl.Tuple((x, x)), hl.Tuple((x, x, x)))


@refusal("")
def a_pipeline_without_a_definition(hl: Any) -> Any:
    hl.Pipeline([hl.Func("f")]).realize([3])


@refusal("The bounds of an RDom are integers")
def a_domain_of_a_part_of_a_number(hl: Any) -> Any:
    return hl.RDom([(0, 5.5)])


@refusal("The bounds of an RDom are integers")
def a_domain_by_a_float_parameter(hl: Any) -> Any:
    return hl.RDom([(0, hl.Param(hl.Float(32), "p", 3.0))])


@refusal("The bounds of an RDom are integers of 32 bits")
def a_domain_beyond_32_bits(hl: Any) -> Any:
    return hl.RDom([(0, 1 << 40)])
