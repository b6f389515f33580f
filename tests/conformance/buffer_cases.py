"""Buffers: views of NumPy arrays, shapes, and what pipelines check of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.conformance.cases import add, case, refusal


def shape(b: Any) -> list[int]:
    return [v for d in range(b.dimensions()) for v in (b.dim(d).min(), b.dim(d).extent(), b.dim(d).max())]


def picture(hl: Any) -> Any:
    return hl.Buffer((np.arange(60) * 7 % 251).astype(np.uint8).reshape(5, 4, 3), "picture")


@case
def no_copies(hl: Any) -> Any:
    data = np.zeros((4, 6), np.int32)
    b = hl.Buffer(data)
    b[2, 1] = 7
    data[3, 5] = 9
    view = np.array(b, copy=False)
    return [data, b[5, 3], b[2, 1], view, b.width(), b.height(), b.left(), b.right(), b.top(), b.bottom()]


@case
def marks_of_the_host(hl: Any) -> Any:
    """Which Buffers are marked as changed by the host, without a device."""

    def marks(b: Any) -> list[bool]:
        return [b.host_dirty(), b.device_dirty(), b.has_device_allocation()]

    shown, new = hl.Buffer(np.zeros((3, 4), np.int32)), hl.Buffer(hl.Int(32), [4, 3])
    found = marks(shown) + marks(new)
    new[1, 2] = 3
    found += marks(new) + marks(new.cropped(0, 1, 2)) + marks(new.copy()) + marks(new.transposed(0, 1))
    new.set_host_dirty(False)
    found += marks(new) + marks(new.sliced(0, 1)) + marks(hl.Buffer.make_with_shape_of(shown))
    new.fill(2)
    found += marks(new)
    new.set_host_dirty(False)
    new.copy_from(shown)
    found += marks(new)
    new.set_host_dirty(False)
    new.set_device_dirty()
    found += marks(new)
    new.set_device_dirty(False)
    return [*found, *marks(new), new.copy_to_host(), new.device_free(), *marks(hl.Buffer(new))]


@case
def marks_of_what_is_realized(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = x * 2
    out, made = hl.Buffer(np.zeros(5, np.int32)), f.realize([5])
    f.realize(out)
    return [out.host_dirty(), made.host_dirty(), out.device_dirty(), made.has_device_allocation()]


@case
def copies_in_arrays(hl: Any) -> Any:
    b = picture(hl)
    copy, wide, view = np.array(b), np.array(b, np.int64), np.asarray(b)
    copy[:] = wide[:] = 99
    view[0, 0, 0] = 77
    assert np.asarray(b).base is not None and np.shares_memory(np.asarray(b, np.uint8), view)
    return [view, np.array(b), np.asarray(b, np.float32), copy.flags.f_contiguous]


@case
def axes_as_they_are(hl: Any) -> Any:
    data = np.arange(24, dtype=np.int16).reshape(4, 6)
    b = hl.Buffer(data, "b", False)
    c = hl.Buffer(data, reverse_axes=False)
    return [shape(b), b[3, 5], b.dim(0).stride(), b.dim(1).stride(), shape(c), shape(b.reverse_axes())]


@case
def slices_of_arrays(hl: Any) -> Any:
    data = np.arange(200, dtype=np.int32).reshape(10, 20)
    x, y = hl.Var("x"), hl.Var("y")
    found = []
    for part in (data[2:7, 3:11], data[::2, ::3], data[:, ::-1], data.T):
        b = hl.Buffer(part)
        f = hl.Func("f")
        f[x, y] = b[x, y] * 2 + 1
        found += [f.realize([b.width(), b.height()]), b.dim(0).stride(), b.dim(1).stride()]
    return found


@case
def shifted(hl: Any) -> Any:
    b = picture(hl)
    b.translate([2, -3, 1])
    moved = b.translated(0, 10)
    b.set_min([5, 6])
    return [shape(b), shape(moved), b[5, 6, 1], moved[12, -3, 1], b.contains([5, 6, 1]), b.contains([4, 6, 1])]


@case
def crops(hl: Any) -> Any:
    b = picture(hl)
    c = b.cropped(0, 1, 2)
    d = b.cropped([(0, 2), (1, 3), (2, 2)])
    c[1, 0, 0] = 200
    e = picture(hl)
    e.crop(1, 2, 1)
    return [shape(c), shape(d), shape(e), np.array(d), b[1, 0, 0], d[1, 3, 3], np.array(e)]


@case
def slices_and_embeddings(hl: Any) -> Any:
    b = picture(hl)
    s = b.sliced(1, 2)
    first = b.sliced(0)
    e = s.embedded(1, 7)
    b.add_dimension()
    t = picture(hl)
    t.slice(2, 3)
    t.embed(0)
    return [shape(s), np.array(s), shape(first), np.array(first), shape(e), e[1, 7, 2], shape(b), shape(t), np.array(t)]


@case
def transpositions(hl: Any) -> Any:
    b = picture(hl)
    c = b.transposed(0, 2)
    d = b.transposed([2, 0, 1])
    b.transpose(1, 2)
    return [shape(c), np.array(c), shape(d), np.array(d), shape(b), np.array(b), np.array(b.reverse_axes())]


@case
def copies(hl: Any) -> Any:
    b = picture(hl)
    c = b.copy()
    c[0, 0, 0] = 99
    b.translate([0, 1, 0])
    d = hl.Buffer(hl.UInt(8), [6, 6, 6])
    d.fill(1)
    d.copy_from(b)
    return [b[0, 1, 0], c[0, 0, 0], np.array(d), c.all_equal(0), d.number_of_elements(), d.size_in_bytes()]


@case
def storage_orders(hl: Any) -> Any:
    a = hl.Buffer.make_interleaved(hl.UInt(8), 5, 4, 3)
    b = hl.Buffer(hl.Int(32), [5, 4, 3], [1, 2, 0])
    s = hl.Buffer.make_scalar(hl.Float(32))
    s[()] = 2.5
    like = hl.Buffer.make_with_shape_of(a)
    strides = [[x.dim(d).stride() for d in range(3)] for x in (a, b, like)]
    return [shape(a), shape(b), shape(like), strides, s[()], s.dimensions(), s.number_of_elements()]


@case
def filled(hl: Any) -> Any:
    b = hl.Buffer(hl.Int(16), [3, 2], "b")
    b.fill(-7)
    c = hl.Buffer(hl.Float(32), [2])
    c.fill(0.1)
    return [np.array(b), b.all_equal(-7), b.all_equal(7), np.array(c), b.name(), str(b.type()), b.defined()]


@case
def each_element(hl: Any) -> Any:
    b = hl.Buffer(np.zeros((2, 3), np.uint8))
    b.set_min([4, 5])
    found: list[list[int]] = []
    b.for_each_element(lambda at: found.append(list(at)))
    return found


@case
def another_view(hl: Any) -> Any:
    b = picture(hl)
    c = hl.Buffer(b)
    c[0, 0, 0] = 123
    return [b[0, 0, 0], shape(c), hl.Buffer().defined(), b.same_as(b)]


def _types(dtype: str) -> Any:
    def script(hl: Any) -> Any:
        data = np.array([0, 1, 2, 100], dtype)
        b = hl.Buffer(data)
        x = hl.Var("x")
        f = hl.Func("f")
        f[x] = b[x]
        out = f.realize([4])
        return [out, str(b.type())]

    return script


for dtype in ("?", "u1", "i1", "u2", "i2", "u4", "i4", "i8", "f2", "f4", "f8"):
    add(f"buffer_cases.type_{np.dtype(dtype).name}", _types(dtype))


@case
def into_buffers(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    f = hl.Func("f")
    f[x, y] = x * 10 + y
    whole = np.full((6, 7), -1, np.int32)
    part = hl.Buffer(whole[1:5, 2:6])
    part.set_min([100, 20])
    nothing = f.realize(part)
    return [whole, nothing is None]


@case
def into_interleaved(hl: Any) -> Any:
    x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
    f = hl.Func("f")
    f[x, y, c] = hl.u8(x + 10 * y + 100 * c)
    f.output_buffer().dim(0).set_stride(3)
    f.output_buffer().dim(2).set_stride(1).set_bounds(0, 3)
    out = hl.Buffer.make_interleaved(hl.UInt(8), 5, 4, 3)
    f.realize(out)
    return [np.array(out), out[2, 1, 2]]


@case
def interleaved_input(hl: Any) -> Any:
    x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
    data = np.arange(60, dtype=np.uint8).reshape(4, 5, 3)
    p = hl.ImageParam(hl.UInt(8), 3, "p")
    p.dim(0).set_stride(3)
    p.dim(2).set_stride(1).set_bounds(0, 3)
    f = hl.Func("f")
    f[x, y, c] = p[x, y, 2 - c]
    b = hl.Buffer(data)
    b.transpose([2, 0, 1])
    p.set(b)
    return f.realize([5, 4, 3])


@case
def tuples_into_buffers(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = (hl.u8(x), hl.f32(x) / 4, x > 3)
    a, b, c = np.zeros(7, np.uint8), np.zeros(7, np.float32), np.zeros(7, np.bool_)
    f.realize([hl.Buffer(a), hl.Buffer(b), hl.Buffer(c)])
    return [a, b, c, f.realize([5])]


@case
def scalars(hl: Any) -> Any:
    f, g = hl.Func("f"), hl.Func("g")
    f[()] = 42
    g[()] = (1, 2.5)
    a, b = g.realize()
    return [f.realize(), f.realize([])[()], a, b]


@case
def constraints_that_hold(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    p = hl.ImageParam(hl.UInt(8), 2, "p")
    p.dim(0).set_bounds(0, 8).set_stride(1)
    p.dim(1).set_min(0).set_extent(p.dim(0).extent()).set_stride(8)
    f = hl.Func("f")
    f[x, y] = p[y, x] + hl.u8(p.width())
    f.output_buffer().dim(0).set_bounds(0, 8)
    p.set(hl.Buffer(np.arange(64, dtype=np.uint8).reshape(8, 8)))
    return f.realize([8, 8])


@case
def metadata_in_expressions(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    p = hl.ImageParam(hl.Int(32), 2, "p")
    f = hl.Func("f")
    d = p.dim(1)
    f[x, y] = p[hl.clamp(x, p.left(), p.right()), hl.clamp(y, d.min(), d.max())] + d.stride() + p.height()
    b = hl.Buffer(np.arange(30, dtype=np.int32).reshape(5, 6))
    b.set_min([2, 3])
    p.set(b)
    return f.realize([10, 10])


@case
def inferred_inputs(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    p, q = hl.ImageParam(hl.UInt(8), 2, "p"), hl.ImageParam(hl.Int(16), 1, "q")
    f = hl.Func("f")
    f[x, y] = hl.i32(p[2 * x, y + 3]) + p[2 * x + 1, y - 1] + q[y]
    f.infer_input_bounds([10, 5])
    first = [shape(p.get()), shape(q.get())]
    p.reset()
    q.reset()
    query = hl.Buffer.make_bounds_query(hl.Int(32), [4, 4])
    query.set_min([100, 10])
    f.infer_input_bounds(query)
    return [first, shape(p.get()), shape(q.get()), p.get().dim(1).stride(), str(q.get().type())]


def _refuses(hl: Any, *coordinates: int, size: tuple[int, int] = (10, 10)) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    p = hl.ImageParam(hl.UInt(8), 2, "in")
    f = hl.Func("f")
    f[x, y] = p[x + coordinates[0], y + coordinates[1]]
    p.set(hl.Buffer(np.zeros(size[::-1], np.uint8)))
    return f.realize([10, 10])


@refusal("Input buffer in is accessed at 10, which is beyond the max (9) in dimension 0")
def beyond_the_max(hl: Any) -> Any:
    return _refuses(hl, 1, 0)


@refusal("Input buffer in is accessed at -2, which is before the min (0) in dimension 1")
def before_the_min(hl: Any) -> Any:
    return _refuses(hl, 0, -2)


@refusal("Constraint violated: in.extent.0 (10) == 8 (8)")
def wrong_extent(hl: Any) -> Any:
    p = hl.ImageParam(hl.UInt(8), 1, "in")
    p.dim(0).set_bounds(0, 8)
    f, x = hl.Func("f"), hl.Var("x")
    f[x] = p[x]
    p.set(hl.Buffer(np.zeros(10, np.uint8)))
    return f.realize([8])


@refusal("Constraint violated: in.stride.1 (10) == 16 (16)")
def wrong_stride(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    p = hl.ImageParam(hl.UInt(8), 2, "in")
    p.dim(1).set_stride(16)
    f = hl.Func("f")
    f[x, y] = p[x, y]
    p.set(hl.Buffer(np.zeros((10, 10), np.uint8)))
    return f.realize([8, 8])


@refusal("Constraint violated: in.stride.0 (2) == 1 (1)")
def sparse_where_dense_is_assumed(hl: Any) -> Any:
    x = hl.Var("x")
    p = hl.ImageParam(hl.UInt(8), 1, "in")
    f = hl.Func("f")
    f[x] = p[x]
    p.set(hl.Buffer(np.zeros(20, np.uint8)[::2]))
    return f.realize([8])


@refusal("is not aligned to a 64 bytes boundary")
def unaligned(hl: Any) -> Any:
    x = hl.Var("x")
    p = hl.ImageParam(hl.UInt(8), 1, "in")
    p.set_host_alignment(64)
    f = hl.Func("f")
    f[x] = p[x]
    data = np.zeros(200, np.uint8)
    start = 64 - data.ctypes.data % 64 + 3
    p.set(hl.Buffer(data[start : start + 10]))
    return f.realize([8])


@refusal("Buffer argument in is nullptr")
def without_a_buffer(hl: Any) -> Any:
    x = hl.Var("x")
    p = hl.ImageParam(hl.UInt(8), 1, "in")
    f = hl.Func("f")
    f[x] = p[x]
    return f.realize([8])


@refusal("Can't bind ImageParam in of type uint8")
def of_another_type(hl: Any) -> Any:
    hl.ImageParam(hl.UInt(8), 1, "in").set(hl.Buffer(np.zeros(3, np.int32)))


@refusal("exactly 1 dimensions, but the buffer passed in has 2 dimensions")
def of_other_dimensions(hl: Any) -> Any:
    x = hl.Var("x")
    p = hl.ImageParam(hl.UInt(8), 1, "in")
    f = hl.Func("f")
    f[x] = p[x]
    p.set(hl.Buffer(np.zeros((3, 3), np.uint8)))
    return f.realize([3])


@refusal("has type uint8 but type of the buffer passed in is int32")
def into_another_type(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = hl.u8(x)
    f.realize(hl.Buffer(np.zeros(3, np.int32)))


@refusal("is defined with 2 dimensions, but realize() is requesting a realization with 1 dimensions")
def too_few_sizes(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    f = hl.Func("f")
    f[x, y] = x
    f.realize([3])


@refusal("Realization requires 1 output(s) but pipeline produces 2 result(s).")
def too_few_buffers(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = (x, x)
    f.realize(hl.Buffer(np.zeros(3, np.int32)))


@refusal("extent.0 (5) == ")
def tuples_of_different_sizes(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = (x, x)
    f.realize([hl.Buffer(np.zeros(4, np.int32)), hl.Buffer(np.zeros(5, np.int32))])


@refusal("Constraint violated: ")
def output_of_another_extent(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = x
    f.output_buffer().dim(0).set_bounds(0, 5)
    f.realize(hl.Buffer(np.zeros(6, np.int32)))


@refusal("negative")
def negative_sizes(hl: Any) -> Any:
    f, x = hl.Func("f"), hl.Var("x")
    f[x] = x
    f.realize([-3])


@refusal("Parameter p is 5 but must be at least 10")
def parameter_too_small(hl: Any) -> Any:
    p, f, x = hl.Param(hl.Int(32), "p", 5), hl.Func("f"), hl.Var("x")
    p.set_range(10, 20)
    f[x] = x + p
    f.realize([3])


@refusal("Parameter p is 21.5 but must be at most 20")
def parameter_too_great(hl: Any) -> Any:
    p, f, x = hl.Param(hl.Float(32), "p", 21.5), hl.Func("f"), hl.Var("x")
    p.set_max_value(20.0)
    f[x] = x + p
    f.realize([3])


@refusal("does not have a valid scalar value")
def parameter_without_a_value(hl: Any) -> Any:
    p, f, x = hl.Param(hl.Int(32), "p"), hl.Func("f"), hl.Var("x")
    f[x] = x + p
    f.realize([3])


@refusal("The value 300 cannot be losslessly converted to type uint8")
def parameter_out_of_its_type(hl: Any) -> Any:
    hl.Param(hl.UInt(8), "p", 300)


def _parameter(type_name: str, values: list[Any]) -> Any:
    def script(hl: Any) -> Any:
        from tests.conformance.type_cases import type_of

        t = type_of(hl, type_name)
        p, f, x = hl.Param(t, "p"), hl.Func("f"), hl.Var("x")
        f[x] = hl.select(x > 1, p, hl.cast(t, x))
        found = []
        for v in values:
            p.set(v)
            found.append(f.realize([4]))
        return [*found, str(p.type())]

    return script


_PARAMETERS: dict[str, list[Any]] = {
    "u8": [0, 255],
    "i8": [-128, 127],
    "u16": [65535],
    "i16": [-32768],
    "u32": [2**32 - 1],
    "i32": [-(2**31)],
    "i64": [2**63 - 1, -(2**63)],
    "f32": [0.1, -1e30, 3],
    "f64": [0.5, 2.0**60],
    "b": [True, False],
}
for type_name, values in _PARAMETERS.items():
    add(f"buffer_cases.parameter_{type_name}", _parameter(type_name, values))


@case
def indices_out_of_bounds(hl: Any) -> Any:
    found = []
    for b, at in ((picture(hl), (3, 0, 0)), (picture(hl).cropped(0, 1, 2), (0, 0, 0)), (picture(hl), (0, 0, -1))):
        try:
            found.append(str(b[at]))
        except IndexError as error:
            found.append(str(error))
    return found
