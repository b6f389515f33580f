"""Parameters of class type, taken apart into scalars and pointers: what the lifted function is a function of.

Soundness: an object of the caller's is read once, before the function's work.  So nothing of it may be assigned
(`Context.fixed`) but numbers of which the function has a copy and pointers that stay in their memory
(`changed_fields.py`), and what the function writes must not overlap it (`Function.objects`, a contract's item)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from clang.cindex import Cursor
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I64, Variable
from halide_core.ir.types import UInt
from lifter.frontend.clang import classes, file_scope, types
from lifter.frontend.objects import memory_views
from lifter.frontend.objects.taken_fields import INSIDE, TakenFields
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.found import Again
from lifter.frontend.state.values import (
    Alias,
    Binding,
    PointerPlace,
    Pointers,
    RecordPlace,
    RecordPointer,
    VariablePlace,
)
from lifter.ir.loop_ir import Argument, Param, Part
from lifter.simd.lanes import Lanes, as_type


class Reached(Again):
    """A pointer in an object of the caller's is to be followed to another object: what parameters of it begin with."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Static(Again):
    """A variable of static storage is to be a parameter that callers do not see; `expression` names it."""

    def __init__(self, declaration: Cursor, expression: str) -> None:
        super().__init__(expression)
        self.declaration, self.expression = declaration, expression


@dataclass
class Taken:
    """What one parameter of the C++ function becomes."""

    argument: Argument
    params: list[Param] = field(default_factory=list)
    binding: Binding | None = None


def plain(name: str, c_type: str, param: Param) -> Taken:
    """A parameter that is a scalar or a pointer to memory."""
    expression = "__builtin_addressof(@)" if "&" in c_type else "@"
    return Taken(Argument(name, c_type, c_type, "plain", (Part(name, expression),)), [param])


def is_class(t: ClangType) -> bool:
    """Whether a parameter's type, or what it refers or points to, is a class that is taken apart."""
    return classes.is_plain(types.pointee(t) if types.is_pointer(t) else t)


def take(ctx: Context, name: str, t: ClangType, at: Cursor, read_only: bool = False) -> Taken | None:
    """A parameter of a class type, or a reference or pointer to one; None where it can stay memory, unless it is one
    object that is only read.

    Raises Unsupported for a class without a name."""
    method = name == "this"
    pointer, reference = types.is_pointer(t) or method, types.is_reference(t)
    declared = types.pointee(t) if types.is_pointer(t) else types.canonical(t)
    own = ctx.found.viewed.get(f"{name}_", declared)
    alone = method or read_only or name in ctx.found.single
    in_memory = (pointer or reference) and not alone
    if in_memory and memory_views.lies_in_arrays(ctx, own):
        ctx.structures[name] = int(own.get_size())
        return None
    passing = "pointer" if pointer else "reference" if reference else "value"
    bare = own.spelling.removeprefix("const ")
    if not file_scope.class_name(own):
        ctx.fail(f"parameter '{name}' of a class that cannot be named at the file's end", at)
    taker = TakenFields(ctx, name, passing, types.is_const(own), at)
    place = taker.record(own, "" if method else f"{name}_", "@")
    parts = taker.parts
    params = taker.params
    address = ""
    if passing != "value":
        address = ctx.unique("self" if method else name)
        ctx.objects[address] = int(own.get_size())
        ctx.objects_of.update({p.param: address for p in parts if p.kind in INSIDE and not p.through})
        ctx.moved_in.update({p.param: address for p in parts if p.kind == "moved" and not p.through})
        params.insert(0, Param(address, UInt(8), True, True, c_type=f"{bare} *"))
        parts.insert(0, Part(address, "@", "address"))
        ctx.arrays[address] = UInt(8)
        ctx.pointer_parameters.add(address)
        place = replace(place, address=address, given=pointer)
    binding: Binding = Alias(RecordPointer(place, address)) if pointer and not method else place
    spelled = f"{bare} *" if method else t.get_canonical().spelling
    viewed = own is not declared
    return Taken(Argument(name, spelled, bare, passing, tuple(parts), viewed=viewed), params, binding)


def take_pointers(ctx: Context, p: Cursor, name: str) -> Taken | None:
    """A parameter that is an array of pointers: each for itself where constants tell them apart, else pointers to rows.
    None for pointers to anything else than elements."""
    t = p.type.get_canonical()
    inner = types.element(t) if types.is_array(t) else types.pointee(t)
    spelled = types.passed_spelling(p.type)
    taker = TakenFields(ctx, name, "value", False, p)
    binding = taker.several(inner, name, "@", name)
    if binding is None:
        return None
    if isinstance(binding.value, Pointers):
        address, part = address_of_array(ctx, name, len(taker.params) * int(inner.get_size()))
        taker.params.insert(0, address)
        taker.parts.insert(0, part)
        binding = Alias(replace(binding.value, address=address.name))
    return Taken(Argument(name, spelled, spelled, "value", tuple(taker.parts)), taker.params, binding)


def take_register(ctx: Context, p: Cursor, name: str) -> Taken:
    """A parameter that is a SIMD register, which the function does not change."""
    taker = TakenFields(ctx, name, "value", True, p)
    spelled = types.passed_spelling(p.type)
    binding = taker.register(p.type.get_canonical(), name, "@", name)
    return Taken(Argument(name, spelled, spelled, "value", tuple(taker.parts)), taker.params, binding)


def address_of_array(ctx: Context, name: str, size: int) -> tuple[Param, Part]:
    """The address of an array of the caller's whose elements are parameters: what is written must not be in its `size`
    bytes."""
    address = ctx.unique(f"{name}_object")
    ctx.objects[address] = size
    ctx.arrays[address] = UInt(8)
    ctx.pointer_parameters.add(address)
    return Param(address, UInt(8), True, True, c_type="void *"), Part(address, "(*@)", "address", through=("@",))


def take_reference(ctx: Context, p: Cursor, name: str) -> Taken | None:
    """A parameter that is a reference to a pointer or a scalar, which the function does not change: `uint8_t *&row`.
    None for references to anything else."""
    own, type_ = types.canonical(p.type), types.scalar(types.canonical(p.type))
    taker = TakenFields(ctx, name, "reference", types.is_const(own), p)
    binding: Binding | None
    if types.is_pointer(own):
        binding = taker.pointer(types.pointee(own), name, "@", name, own.spelling)
    else:
        binding = taker.scalar(type_, name, "@", name, own.spelling) if type_ is not None else None
    if not isinstance(binding, PointerPlace | VariablePlace):
        return None
    address = ctx.unique(f"{name}_object")
    ctx.objects[address] = int(own.get_size())
    ctx.arrays[address] = UInt(8)
    ctx.pointer_parameters.add(address)
    params = [Param(address, UInt(8), True, True, c_type=f"{own.spelling} *"), *taker.params]
    parts = (Part(address, "@", "address"), *taker.parts)
    ctx.referred[binding.name] = address
    spelled = p.type.get_canonical().spelling
    bare = own.spelling.removesuffix("const") if types.is_pointer(own) else own.spelling.removeprefix("const ")
    return Taken(Argument(name, spelled, bare, "reference", parts), params, binding)


class Element(Again):
    """A pointer of an array is told by a constant."""

    def __init__(self, name: str, number: int) -> None:
        super().__init__(name, number)
        self.name, self.number = name, number


class Tabled(Again):
    """Pointers of an array are told apart by what varies."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def may_reach(ctx: Context, owner: RecordPlace, field_: Cursor) -> bool:
    """Whether a field of an object of the caller's points to another object, which nothing has followed it to."""
    t = field_.type.get_canonical()
    if not owner.prefix or not types.is_pointer(t) or f"{owner.prefix}{field_.spelling}" in ctx.found.reached:
        return False
    return classes.is_plain(types.pointee(t)) and not classes.is_union(owner.type)


def take_static(ctx: Context, declaration: Cursor, expression: str, at: Cursor) -> Binding | None:
    """What a variable of static storage is to a function that was not given it: a parameter that the caller does not
    see, read at each call.  None for what can be no parameter."""
    name = str(declaration.spelling)
    if name in ctx.unit.parsed.cautions.weak:  # another definition of it may be linked in its place
        return None
    taker = TakenFields(ctx, expression, "reference", types.is_const(declaration.type), at, static=True)
    binding = taker.field(declaration, name, expression)
    if binding is None or not taker.parts:
        return None
    params, parts = taker.params, taker.parts
    if any(p.kind != "array" for p in parts):
        address = ctx.unique(f"{name}_object")
        ctx.objects[address] = int(declaration.type.get_canonical().get_size())
        params.insert(0, Param(address, UInt(8), True, True, c_type="void *"))
        parts.insert(0, Part(address, expression, "address"))
        ctx.arrays[address] = UInt(8)
        ctx.pointer_parameters.add(address)
    spelled = declaration.type.get_canonical().spelling
    constant = types.is_const(declaration.type) and declaration.is_definition()
    ctx.statics[expression] = Argument(name, spelled, spelled, "static", tuple(parts), constant=constant), params
    return binding


def take_set_up(ctx: Context, declaration: Cursor, expression: str, value: Lanes, at: Cursor) -> Binding:
    """A register of static storage that holds `value` once the file is set up, which each call asks."""
    name = str(declaration.spelling)
    taker = TakenFields(ctx, expression, "reference", types.is_const(declaration.type), at, static=True)
    for k, word in enumerate(as_type(value, I64).parts):
        flat = ctx.unique(f"{name}_{k}")
        ctx.parameters[flat] = I64
        ctx.stable.add(flat)
        ctx.asked[flat] = op.binary("==", Variable(I64, flat), word)
        ctx.assumed.add(flat)
        taker.params.append(Param(flat, I64, c_type="int64_t"))
        taker.parts.append(taker.part(flat, f"((const long long *)&{expression})[{k}]"))
    spelled = declaration.type.get_canonical().spelling
    ctx.statics[expression] = Argument(name, spelled, spelled, "static", tuple(taker.parts)), taker.params
    return Alias(value)


def is_read_only(ctx: Context, p: Cursor) -> bool:
    """Whether a parameter is a reference to an object that a function only reads.  (Behind a pointer there may be many
    objects, or none that may be read.)"""
    return types.is_reference(p.type) and (types.is_const(types.canonical(p.type)) or p.hash not in ctx.changed)
