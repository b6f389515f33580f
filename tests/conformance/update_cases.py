"""Updates of Funcs: those that make the first definition too, those that come too late, what they may read."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.conformance.cases import case, refusal


@case
def an_update_makes_the_first_definition(hl: Any) -> Any:
    x = hl.Var("x")
    out = []
    for k in range(5):
        f = hl.Func("f")
        if k == 0:
            f[x] += 1
        elif k == 1:
            f[x] = f[x] - 2.0
        elif k == 2:
            f[x] *= 3
        elif k == 3:
            f[0] += 1
        else:
            ref = f[x]
            ref /= 2
            f[x] = ref
        out.append(f.realize([3]))
    return out


@case
def a_sum_at_a_place_that_a_func_tells(hl: Any) -> Any:
    x = hl.Var("x")
    f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
    g[x] = 2
    f[g[0]] += 1
    h[hl._] += g[hl._]
    return f.realize([3]), h.realize([2])


@refusal("when a pure definition already exists.")
def a_reference_to_what_was_undefined_twice(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    ref = f[x]
    ref += 1
    f[x] = ref
    f[x] = ref


@case
def a_sum_of_a_sum_with_what_is_undefined(hl: Any) -> Any:
    ref = hl.Func("f")[hl.Var("x")]
    ref += 1
    try:
        ref += 1
    except TypeError as e:
        return str(e)


@refusal("to define an update at a different location.")
def a_reference_to_another_place(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    f[0] = f[x] + 1


@refusal("to define an update at a different location.")
def a_reference_to_another_func(hl: Any) -> Any:
    x = hl.Var("x")
    f, g = hl.Func("f"), hl.Func("g")
    g[x] = f[x] + 1


@refusal("because it has not yet been defined.")
def an_undefined_func_on_the_right_of_an_operator(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = 1 + f[x]


@case
def a_reference_taken_before_an_update(hl: Any) -> Any:
    x, y = hl.vars("x y")
    f = hl.Func("f")
    f[x, y] = x + y
    e = f[x, y] + 1
    f[x, y] += 3
    f[x, y] = e + f[x, y]
    return f.realize([3, 2])


@refusal("already been realized or used in the definition of another Func.")
def an_update_after_a_use(hl: Any) -> Any:
    x = hl.Var("x")
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = x
    g[x] = f[x] * 2
    f[x] += 1


@refusal("already been realized or used in the definition of another Func.")
def an_update_after_a_realization(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = x
    f.realize([3])
    f[x] += 1


@refusal("already been realized or used in the definition of another Func.")
def an_update_of_what_a_pipeline_has(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = x
    hl.Pipeline([f])
    f[x] += 1


def _read(hl: Any, build: Any) -> None:
    x, y = hl.vars("x y")
    f = hl.Func("f")
    f[x, y] = x + y
    build(f, x, y, hl.RDom([(0, 2)]))


SAME = "must contain the same pure variables in the same places as on the left-hand-side."


@refusal(SAME)
def an_update_that_reads_its_transpose(hl: Any) -> Any:
    _read(hl, lambda f, x, y, r: f.__setitem__((x, y), f[x, y] + f[y, x]))


@refusal(SAME)
def an_update_that_reads_its_neighbour(hl: Any) -> Any:
    _read(hl, lambda f, x, y, r: f.__setitem__((x, y), f[x + 1, y]))


@refusal(SAME)
def an_update_that_reads_along_a_domain(hl: Any) -> Any:
    _read(hl, lambda f, x, y, r: f.__setitem__((x, r), f[r, x]))


@refusal(SAME)
def an_update_that_reads_at_its_own_value(hl: Any) -> Any:
    _read(hl, lambda f, x, y, r: f.__setitem__((x, y), f[x, y + f[x, 0]]))


@refusal("")
def an_update_at_exchanged_variables(hl: Any) -> Any:
    _read(hl, lambda f, x, y, r: f.__setitem__((y, x), 1))


@refusal("")
def an_update_beside_its_own_variable(hl: Any) -> Any:
    _read(hl, lambda f, x, y, r: f.__setitem__((x + 1, y), f[x, y]))


@case
def an_update_along_a_domain(hl: Any) -> Any:
    x, y = hl.vars("x y")
    r = hl.RDom([(1, 3)])
    f = hl.Func("f")
    f[x, y] = x + y
    f[x, r] = f[x, r - 1] + f[x, r] * 2
    f[r, y] += f[r - 1, y]
    return f.realize([5, 5])


@refusal("because it is undefined")
def the_type_of_what_is_undefined(hl: Any) -> Any:
    hl.Func("f").type()


@refusal("because it is undefined")
def the_dimensions_of_what_is_undefined(hl: Any) -> Any:
    hl.Func("f").dimensions()


@refusal("values of type (int32, float32) but is defined with values of type (int16, float64)")
def a_func_of_other_types_than_stated(hl: Any) -> Any:
    x = hl.Var("x")
    hl.Func([hl.Int(32), hl.Float(32)], 1, "f")[x] = (hl.i16(x), hl.f64(x))


@refusal("Implicit cast from float32 to int in argument 2")
def a_float_for_a_coordinate(hl: Any) -> Any:
    x, y = hl.vars("x y")
    f = hl.Func("f")
    f[x, y] = x
    f[x, y / 2.0]


@refusal("sizes are integers")
def a_size_that_is_a_float(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = x
    return f.realize([3.0])


@refusal("incompatible function arguments")
def sizes_one_by_one(hl: Any) -> Any:
    x, y = hl.vars("x y")
    f = hl.Func("f")
    f[x, y] = x
    return f.realize(3, 2)


@refusal("Pipeline is undefined")
def a_pipeline_of_nothing(hl: Any) -> Any:
    hl.Pipeline().realize([3])


@case
def a_param_and_an_image_without_names(hl: Any) -> Any:
    x = hl.Var("x")
    p, image = hl.Param(hl.Int(32)), hl.ImageParam(hl.UInt(8), 1)
    f = hl.Func("f")
    f[x] = image[x] + hl.u8(p)
    p.set(3)
    image.set(hl.Buffer(np.arange(4, dtype=np.uint8)))
    return [f.realize([4]), p.name() == image.name()]


@refusal("must have unique names")
def a_param_and_an_image_of_one_name(hl: Any) -> Any:
    x = hl.Var("x")
    p, image = hl.Param(hl.Int(32), "same", 2), hl.ImageParam(hl.UInt(8), 1, "same")
    f = hl.Func("f")
    f[x] = image[x] + hl.u8(p)
    image.set(hl.Buffer(np.arange(4, dtype=np.uint8)))
    return f.realize([4])


@case
def the_shape_of_a_buffer_without_memory(hl: Any) -> Any:
    x, y = hl.vars("x y")
    image = hl.ImageParam(hl.Float(32), 2, "image")
    f = hl.Func("f")
    f[x, y] = image[x + 2, y] + 1
    f[x, y] += 2
    f.update().vectorize(x, 4)
    out = f.output_buffer()
    extent = out.dim(0).extent()
    out.dim(0).set_bounds(min=0, extent=hl.select(extent < 10, extent + 1, extent))
    asked = hl.Buffer.make_bounds_query(type=hl.Float(32), sizes=[5, 6])
    asked.set_min([1, 2])
    f.infer_input_bounds(asked)
    boxes = [[(d.min(), d.extent()) for d in (b.dim(0), b.dim(1))] for b in (asked, image.get())]
    return np.array(boxes)
