"""Schedules, definitions and runs that both modules refuse, one fault each."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.conformance.cases import refusal


def chain(hl: Any, names: str) -> list[Any]:
    """What is asked for of f, which g reads, h, which reads both, their variables x and y and another one, t."""
    x, y, t = hl.Var("x"), hl.Var("y"), hl.Var("t")
    f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
    f[x, y] = x * 3 + y
    g[x, y] = f[x, y] + f[x + 1, y]
    h[x, y] = g[x, y] - f[x, y + 1]
    made = {"f": f, "g": g, "h": h, "x": x, "y": y, "t": t}
    return [made[n] for n in names.split()]


def summed(hl: Any, names: str) -> list[Any]:
    """What is asked for of f, which sums up over a domain r of two dimensions, and its variable x."""
    x, r = hl.Var("x"), hl.RDom([(0, 8), (0, 5)])
    f = hl.Func("f")
    f[x] = 0
    f[x] += x * r.x - r.y
    made = {"f": f, "x": x, "r": r}
    return [made[n] for n in names.split()]


@refusal("")
def computed_inside_one_of_two_consumers(hl: Any) -> Any:
    f, g, h, y = chain(hl, "f g h y")
    g.compute_root()
    f.compute_at(g, y)
    return h.realize([4, 4])


@refusal("")
def computed_at_a_loop_of_what_is_inlined(hl: Any) -> Any:
    f, g, h, y = chain(hl, "f g h y")
    f.compute_at(g, y)
    return h.realize([4, 4])


@refusal("")
def computed_at_a_loop_of_what_it_reads(hl: Any) -> Any:
    f, g, h, y = chain(hl, "f g h y")
    f.compute_root()
    g.compute_at(f, y)
    return h.realize([4, 4])


@refusal("")
def stored_at_a_loop_further_in(hl: Any) -> Any:
    f, h, x, y = chain(hl, "f h x y")
    f.compute_at(h, y).store_at(h, x)
    return h.realize([4, 4])


@refusal("is inlined")
def stored_at_root_and_inlined(hl: Any) -> Any:
    f, h = chain(hl, "f h")
    f.store_root()
    return h.realize([4, 4])


@refusal("")
def a_loop_reordered_that_is_split_away(hl: Any) -> Any:
    h, x, y, t = chain(hl, "h x y t")
    h.split(x, t, hl.Var("u"), 4)
    h.reorder(x, y)
    return h.realize([8, 4])


@refusal("")
def one_variable_for_both_halves_of_a_split(hl: Any) -> Any:
    h, x, t = chain(hl, "h x t")
    h.split(x, t, t, 4)
    return h.realize([8, 4])


@refusal("")
def a_split_into_a_variable_in_use(hl: Any) -> Any:
    h, x, y, t = chain(hl, "h x y t")
    h.split(x, y, t, 4)
    return h.realize([8, 4])


@refusal("")
def a_loop_of_another_func(hl: Any) -> Any:
    h, t = chain(hl, "h t")
    h.vectorize(t, 4)
    return h.realize([8, 4])


@refusal("")
def a_vector_of_one_lane_too_many_loops(hl: Any) -> Any:
    h, x = chain(hl, "h x")
    h.vectorize(x)
    return h.realize([8, 4])


@refusal("")
def a_vector_of_no_lanes(hl: Any) -> Any:
    h, x = chain(hl, "h x")
    h.vectorize(x, 0)
    return h.realize([8, 4])


@refusal("")
def a_stage_that_is_not_there(hl: Any) -> Any:
    f, x = summed(hl, "f x")
    f.update(1).vectorize(x, 4)
    return f.realize([8])


@refusal("")
def a_reduction_loop_in_parallel(hl: Any) -> Any:
    f, r = summed(hl, "f r")
    f.update().parallel(r.y)
    return f.realize([8])


@refusal("")
def a_vector_fused_with_a_reduction_loop(hl: Any) -> Any:
    f, x, r = summed(hl, "f x r")
    f.update().vectorize(x).fuse(x, r.x, hl.RVar("both"))
    return f.realize([8])


@refusal("")
def a_reduction_loop_split_into_pure_ones(hl: Any) -> Any:
    f, r = summed(hl, "f r")
    f.update().split(r.x, hl.Var("o"), hl.Var("i"), 2)
    return f.realize([8])


@refusal("")
def a_reduction_loop_rounded_up(hl: Any) -> Any:
    f, r = summed(hl, "f r")
    f.update().split(r.x, hl.RVar("o"), hl.RVar("i"), 3, hl.TailStrategy.RoundUp)
    return f.realize([8])


@refusal("")
def a_pure_stage_factored(hl: Any) -> Any:
    f, r = summed(hl, "f r")
    f.rfactor(r.x, hl.Var("u"))
    return f.realize([8])


@refusal("")
def a_fused_loop_factored(hl: Any) -> Any:
    f, x, r = summed(hl, "f x r")
    both = hl.RVar("both")
    f.update().fuse(x, r.x, both).rfactor(both, hl.Var("u"))
    return f.realize([8])


@refusal("")
def factored_into_what_is_no_dimension(hl: Any) -> Any:
    f, x, r = summed(hl, "f x r")
    f.update().rfactor(r.x, x)
    return f.realize([8])


@refusal("")
def a_difference_factored(hl: Any) -> Any:
    x, r = hl.Var("x"), hl.RDom([(0, 8)])
    f = hl.Func("f")
    f[x] = 0
    f[x] = r.x - f[x]
    f.update().rfactor(r.x, hl.Var("u"))
    return f.realize([8])


@refusal("")
def an_inner_loop_factored_that_must_stay_inside(hl: Any) -> Any:
    x, y, r = hl.Var("x"), hl.Var("y"), hl.RDom([(1, 6), (1, 6)])
    f = hl.Func("f")
    f[x, y] = x + y
    f[r.x, r.y] = f[r.x - 1, r.y] * 2 + f[r.x, r.y - 1]
    f.update().reorder(r.y, r.x)
    return f.realize([8, 8])


@refusal("")
def a_domain_variable_on_the_left_of_a_pure_definition(hl: Any) -> Any:
    r = hl.RDom([(0, 4)])
    f = hl.Func("f")
    f[r.x] = 3
    return f.realize([4])


@refusal("")
def a_domain_that_is_not_bounded_by_integers(hl: Any) -> Any:
    return hl.RDom([(0, 3.5)])


@refusal("")
def a_condition_of_a_domain_that_is_a_number(hl: Any) -> Any:
    r = hl.RDom([(0, 4)])
    r.where(r.x + 1)
    x, f = hl.Var("x"), hl.Func("f")
    f[x] = 0
    f[x] += r.x
    return f.realize([4])


@refusal("")
def an_unbounded_image(hl: Any) -> Any:
    x = hl.Var("x")
    image, table = hl.ImageParam(hl.Int(32), 1, "image"), hl.ImageParam(hl.Int(32), 1, "table")
    f = hl.Func("f")
    f[x] = image[table[x]]
    image.set(hl.Buffer(np.zeros(9, np.int32)))
    table.set(hl.Buffer(np.zeros(9, np.int32)))
    return f.realize([4])


@refusal("")
def an_unbounded_func(hl: Any) -> Any:
    x = hl.Var("x")
    table = hl.ImageParam(hl.Int(32), 1, "table")
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = x * 3
    f.compute_root()
    g[x] = f[table[x]]
    table.set(hl.Buffer(np.zeros(9, np.int32)))
    return g.realize([4])


@refusal("")
def a_reduction_that_reaches_further_at_each_step(hl: Any) -> Any:
    x, r = hl.Var("x"), hl.RDom([(0, 4)])
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = x
    f[x] = f[x] + f[x + 1] + r.x * 0
    g[x] = f[x]
    f.compute_root()
    return g.realize([4])


@refusal("")
def clamped_between_values_of_another_type(hl: Any) -> Any:
    x, f = hl.Var("x"), hl.Func("f")
    f[x] = hl.clamp(hl.u8(x), 0, 300)
    return f.realize([4])


@refusal("")
def a_constant_too_great_for_its_type(hl: Any) -> Any:
    x, f = hl.Var("x"), hl.Func("f")
    f[x] = hl.u8(x) + 256
    return f.realize([4])


@refusal("")
def interpolated_between_two_types(hl: Any) -> Any:
    return hl.lerp(hl.u8(3), hl.u16(4), hl.u8(5))


@refusal("")
def interpolated_by_a_signed_weight(hl: Any) -> Any:
    return hl.lerp(hl.u8(3), hl.u8(4), hl.i8(5))


@refusal("")
def interpolated_by_a_weight_beyond_one(hl: Any) -> Any:
    return hl.lerp(hl.u8(3), hl.u8(4), hl.f32(1.5))


@refusal("")
def the_bits_of_a_float(hl: Any) -> Any:
    return hl.f32(3) & hl.f32(1)


@refusal("")
def a_float_that_is_negated_as_a_condition(hl: Any) -> Any:
    return hl.logical_not(hl.f32(1))


@refusal("")
def reinterpreted_at_another_size(hl: Any) -> Any:
    return hl.reinterpret(hl.Int(16), hl.f32(2))


@refusal("")
def constraints_that_no_image_fulfils(hl: Any) -> Any:
    x = hl.Var("x")
    image, f = hl.ImageParam(hl.Int(32), 1, "image"), hl.Func("f")
    f[x] = image[x]
    image.dim(0).set_bounds(-1000, 3)
    image.set(hl.Buffer(np.zeros(9, np.int32)))
    return f.realize([4])


@refusal("")
def a_dimension_that_an_output_has_not(hl: Any) -> Any:
    x, f = hl.Var("x"), hl.Func("f")
    f[x] = x
    f.output_buffer().dim(1).set_min(0)
    return f.realize([4])


@refusal("")
def a_tuple_into_one_buffer(hl: Any) -> Any:
    x, f = hl.Var("x"), hl.Func("f")
    f[x] = (x, x * 2)
    f.realize(hl.Buffer(hl.Int(32), [4]))


@refusal("")
def a_value_into_several_buffers(hl: Any) -> Any:
    x, f = hl.Var("x"), hl.Func("f")
    f[x] = x
    f.realize([hl.Buffer(hl.Int(32), [4]), hl.Buffer(hl.Int(32), [4])])


@refusal("")
def a_negative_factor_of_a_split_at_run_time(hl: Any) -> Any:
    h, x = chain(hl, "h x")
    h.parallel(x, -7)
    return h.realize([8, 4])


@refusal("")
def a_shift_inwards_on_a_reduction_with_a_blend(hl: Any) -> Any:
    f, r = summed(hl, "f r")
    f.update().split(r.x, hl.RVar("o"), hl.RVar("i"), 3, hl.TailStrategy.ShiftInwardsAndBlend)
    return f.realize([8])


@refusal("")
def an_atomic_update_that_reads_beside_itself(hl: Any) -> Any:
    x, r = hl.Var("x"), hl.RDom([(0, 8)])
    f = hl.Func("f")
    f[x] = 0
    f[r.x] = f[r.x + 1] + f[r.x]
    f.update().atomic().parallel(r.x)
    return f.realize([9])


@refusal("")
def a_wrapper_for_what_does_not_call(hl: Any) -> Any:
    f, h, x, y = chain(hl, "f h x y")
    other = hl.Func("other")
    other[x, y] = x
    f.in_(other).compute_root()
    other.compute_root()
    final = hl.Func("final")
    final[x, y] = h[x, y] + other[x, y]
    return final.realize([4, 4])


@refusal("")
def an_update_after_a_wrapper(hl: Any) -> Any:
    f, g, h, x, y = chain(hl, "f g h x y")
    f.in_(g).compute_root()
    f[x, y] += 1
    return h.realize([4, 4])


@refusal("")
def computed_with_a_func_that_is_inlined(hl: Any) -> Any:
    f, g, h, y = chain(hl, "f g h y")
    f.compute_root().compute_with(g, y)
    return h.realize([4, 4])


@refusal("")
def computed_with_each_other(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
    f[x, y] = x
    g[x, y] = y
    h[x, y] = f[x, y] + g[x, y]
    f.compute_root().compute_with(g, y)
    g.compute_root().compute_with(f, y)
    return h.realize([4, 4])


@refusal("")
def memoized_but_not_computed_as_stored(hl: Any) -> Any:
    f, h, y = chain(hl, "f h y")
    f.compute_at(h, y).store_root().memoize()
    return h.realize([4, 4])


@refusal("")
def a_promise_about_another_type(hl: Any) -> Any:
    return hl.unsafe_promise_clamped(hl.u8(3), hl.u16(300), 4)


@refusal("")
def a_blend_over_rows_in_parallel(hl: Any) -> Any:
    f, h, x, y, t = chain(hl, "f h x y t")
    f.compute_root()
    h[x, y] += f[x, y]
    h.update().split(x, x, t, 4, hl.TailStrategy.ShiftInwardsAndBlend).parallel(x)
    return h.realize([8, 4])
