"""Evaluation of expressions over NumPy arrays: the reference meaning of every node.

A scalar expression evaluates to an array of the shape that its inputs broadcast to; a vector expression has one
more axis, the last, of its lanes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from halide_core.errors import HalideError
from halide_core.interp import libm
from halide_core.interp.fused import fused_multiply_add
from halide_core.interp.integer import INTRINSIC_RULES, cast_array, divide, modulo
from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr
from halide_core.ir.types import Float, Type, TypeCode
from halide_core.mathematics import MathFunction, function_of

Array = np.ndarray[Any, Any]
F32 = Float(32)
LoadCallback = Callable[[str, Array, Type], Array]
CallCallback = Callable[[ir.Call, list[Array]], Array]


def dtype_of(type_: Type) -> np.dtype[Any]:
    """The NumPy type of one element of `type_`."""
    if type_.is_bool():
        return np.dtype(np.bool_)
    if type_.is_handle():
        return np.dtype(np.uint64)
    letter = {TypeCode.INT: "i", TypeCode.UINT: "u", TypeCode.FLOAT: "f"}[type_.code]
    return np.dtype(f"{letter}{type_.bits // 8}")


def type_of(dtype: np.dtype[Any]) -> Type:
    """The element type of a NumPy array of `dtype`."""
    code = {"i": TypeCode.INT, "u": TypeCode.UINT, "f": TypeCode.FLOAT, "b": TypeCode.UINT}.get(dtype.kind)
    if code is None:
        raise HalideError(f"Arrays of {dtype} have no Halide type")
    return Type(code, 1 if dtype.kind == "b" else dtype.itemsize * 8)


def evaluate(
    e: Expr,
    env: Mapping[str, Any],
    load: LoadCallback | None = None,
    call: CallCallback | None = None,
    fuses: bool = True,
    done: dict[int, tuple[Expr, Array]] | None = None,
) -> Array:
    """The value of `e` with its free Variables taken from `env` (arrays or scalars, converted to their types).

    `load(name, indices, type)` gives the elements of a flat array; `call(node, arguments)` the value of a call
    other than an intrinsic or libm's.  `fuses`: as on targets that multiply and add in one step, which functions of
    floats make use of.  `done`: what expressions came to before, with the same variables, which is added to.  Raises
    HalideError for a name that nothing defines."""
    with np.errstate(all="ignore"):
        return _Evaluator(dict(env), load, call, fuses, done).value(e)


class _Evaluator:
    def __init__(
        self,
        env: dict[str, Any],
        load: LoadCallback | None,
        call: CallCallback | None,
        fuses: bool,
        done: dict[int, tuple[Expr, Array]] | None = None,
    ) -> None:
        self.env = env
        self.fuses = fuses
        self.load = load
        self.call = call
        self.done = {} if done is None else done

    def value(self, e: Expr) -> Array:
        """Evaluates children first on an explicit stack, so that long chains do not exhaust Python's."""
        stack = [e]
        while stack:
            node = stack[-1]
            if id(node) in self.done:
                stack.pop()
                continue
            if isinstance(node, ir.Let):
                self.done[id(node)] = (node, self._let(node))
                stack.pop()
                continue
            missing = [c for c in ir.children(node) if id(c) not in self.done]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            result = self._one(node, [self.done[id(c)][1] for c in ir.children(node)])
            self.done[id(node)] = (node, np.asarray(result, dtype=dtype_of(node.type)))
        return self.done[id(e)][1]

    def _let(self, e: ir.Let) -> Array:
        inner = _Evaluator({**self.env, e.name: self.value(e.value)}, self.load, self.call, self.fuses)
        return inner.value(e.body)

    def _variable(self, e: ir.Variable) -> Array:
        if e.name not in self.env:
            raise HalideError(f"The variable {e.name} has no value here")
        value = self.env[e.name]
        if isinstance(value, int) and e.type.is_int_or_uint() and not e.type.is_bool():
            value = e.type.wrap(value)
        return np.asarray(value).astype(dtype_of(e.type))

    def _one(self, e: Expr, args: list[Array]) -> Any:
        match e:
            case ir.IntImm() | ir.UIntImm() | ir.FloatImm():
                return np.array(e.value, dtype=dtype_of(e.type))
            case ir.Variable():
                return self._variable(e)
            case ir.Cast():
                return cast_array(args[0], e.value.type, e.type, dtype_of(e.type))
            case ir.Reinterpret():
                return _reinterpret(e, args[0])
            case ir.Not():
                return ~args[0]
            case ir.Select():
                condition = args[0]
                if e.type.is_vector() and e.condition.type.is_scalar():
                    condition = condition[..., None]
                return np.where(condition, args[1], args[2])
            case ir.Ramp():
                lanes = np.arange(e.lanes).astype(args[1].dtype)
                return args[0][..., None] + lanes * args[1][..., None]
            case ir.Broadcast():
                return np.broadcast_to(args[0][..., None], (*args[0].shape, e.lanes))
            case ir.Shuffle():
                parts = [a if v.type.is_vector() else a[..., None] for v, a in zip(e.vectors, args, strict=True)]
                shape = np.broadcast_shapes(*(p.shape[:-1] for p in parts))
                joined = np.concatenate([np.broadcast_to(p, (*shape, p.shape[-1])) for p in parts], axis=-1)
                chosen = joined[..., list(e.indices)]
                return chosen if e.type.is_vector() else chosen[..., 0]
            case ir.VectorReduce():
                return _vector_reduce(e, args[0])
            case ir.Load():
                return self._load(e, args)
            case ir.Call():
                return self._call(e, args)
            case ir._Binary():
                return _binary(e, args[0], args[1])
        raise HalideError(f"No value for the node {type(e).__name__}")

    def _load(self, e: ir.Load, args: list[Array]) -> Array:
        if self.load is None:
            raise HalideError(f"Nothing to load {e.name} from")
        index = args[0] if len(args) == 1 else np.where(args[1], args[0], 0)
        return self.load(e.name, index, e.type)

    def _call(self, e: ir.Call, args: list[Array]) -> Any:
        if e.call_type is ir.CallType.INTRINSIC:
            if ir.is_mathematics(e):
                return _arithmetic(function_of(e.name, e.type, self.fuses), e.type, args, self.fuses)
            if e.name == "multiply_add":
                return fused_multiply_add(args[0], args[1], args[2]) if self.fuses else args[0] * args[1] + args[2]
            return INTRINSIC_RULES[e.name](e, args)
        if self.call is not None and e.call_type is not ir.CallType.PURE_EXTERN:
            return self.call(e, args)
        try:
            return libm.apply(e.name, args)
        except KeyError:
            if self.call is not None:
                return self.call(e, args)
            raise HalideError(f"Nothing to call {e.name} by") from None


def _arithmetic(function: MathFunction, t: Type, args: list[Array], fuses: bool) -> Any:
    """A function of floats by its own arithmetic, as compiled code computes it."""
    names = ("x", "y")[: function.arity]
    parameters, env = [ir.Variable(t.element_of(), n) for n in names], dict(zip(names, args, strict=True))
    usual = evaluate(function.usual(*parameters), env, fuses=fuses)
    if function.rare is None or function.is_rare is None:
        return usual
    rare = evaluate(function.is_rare(*parameters), env, fuses=fuses)
    return np.where(rare, evaluate(function.rare(*parameters), env, fuses=fuses), usual)


def _reinterpret(e: ir.Reinterpret, a: Array) -> Array:
    source, target = e.value.type, e.type
    if source.bits * source.lanes != target.bits * target.lanes:
        raise HalideError(f"reinterpret of {source} as {target}: the sizes differ")
    if source.bits == target.bits:
        return np.ascontiguousarray(a).view(dtype_of(target)).reshape(a.shape)
    a = np.ascontiguousarray(a if source.is_vector() else a[..., None]).view(dtype_of(target))
    return a if target.is_vector() else a[..., 0]


def _vector_reduce(e: ir.VectorReduce, a: Array) -> Array:
    groups = a.reshape(*a.shape[:-1], e.type.lanes, a.shape[-1] // e.type.lanes)
    result = groups[..., 0]
    for k in range(1, groups.shape[-1]):
        b = groups[..., k]
        match e.op:
            case "add":
                result = result + b
            case "mul":
                result = result * b
            case "min":
                result = np.where(result < b, result, b)
            case "max":
                result = np.where(result > b, result, b)
            case "and":
                result = result & b
            case "or":
                result = result | b
    return result if e.type.is_vector() else result[..., 0]


def _binary(e: ir._Binary, a: Array, b: Array) -> Any:
    match e:
        case ir.Add():
            return a + b if not e.type.is_bool() else a ^ b
        case ir.Sub():
            return a - b if not e.type.is_bool() else a ^ b
        case ir.Mul():
            return a * b
        case ir.Div():
            return a / b if e.type.is_float() else divide(a, b)
        case ir.Mod():
            return a - b * np.floor(a / b) if e.type.is_float() else modulo(a, b)
        case ir.Min():
            return np.where(a < b, a, b)
        case ir.Max():
            return np.where(a > b, a, b)
        case ir.EQ():
            return a == b
        case ir.NE():
            return a != b
        case ir.LT():
            return a < b
        case ir.LE():
            return a <= b
        case ir.GT():
            return a > b
        case ir.GE():
            return a >= b
        case ir.And():
            return a & b
        case ir.Or():
            return a | b
    raise HalideError(f"No value for the node {type(e).__name__}")
