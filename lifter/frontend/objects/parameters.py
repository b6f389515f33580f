"""Parameters of class type, taken apart into scalars and pointers: what the lifted function is a function of.

Soundness: an object of the caller's is read once, before the function's work.  So nothing of it may be assigned
(`Context.fixed`) but numbers of which the function has a copy and pointers that stay in their memory
(`changed_fields.py`), and what the function writes must not overlap it (`Function.objects`, a contract's item)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from clang.cindex import Cursor
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I64, Expr, Variable, const, make_bool
from halide_core.ir.types import Int, Type, UInt
from lifter.frontend.clang import assigned_functions, classes, queries, types
from lifter.frontend.objects import memory_views, vectors
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.found import Again, Choice
from lifter.frontend.state.values import (
    Alias,
    Binding,
    ElementPlace,
    Pointer,
    PointerPlace,
    Pointers,
    RecordPlace,
    RecordPointer,
    Rows,
    RowTable,
    VariablePlace,
    Vector,
    function_target,
)
from lifter.ir.loop_ir import Argument, Container, Param, Part
from lifter.simd.lanes import Lanes, as_type

MOST_POINTERS = 16
"""Of an array that are told apart by constants."""
_INSIDE = ("array", "left")
"""Kinds of parts whose memory lies in the object."""


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
    in_memory = (pointer or reference) and not read_only and name not in ctx.found.single
    if in_memory and memory_views.lies_in_arrays(ctx, own):
        ctx.structures[name] = int(own.get_size())
        return None
    passing = "pointer" if pointer else "reference" if reference else "value"
    bare = own.spelling.removeprefix("const ")
    if "(" in bare:
        ctx.fail(f"parameter '{name}' of a class without a name", at)
    taker = _Taker(ctx, name, passing, types.is_const(own), at)
    place = taker.record(own, "" if method else f"{name}_", "@")
    parts = taker.parts
    params = taker.params
    address = ""
    if passing != "value":
        address = ctx.unique("self" if method else name)
        ctx.objects[address] = int(own.get_size())
        ctx.objects_of.update({p.param: address for p in parts if p.kind in _INSIDE and not p.through})
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
    taker = _Taker(ctx, name, "value", False, p)
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
    taker = _Taker(ctx, name, "value", True, p)
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
    taker = _Taker(ctx, name, "reference", types.is_const(own), p)
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


_PASSED_BY = {32: "__AVX__", 64: "__AVX512F__"}
"""The macro of the extension by whose registers so many bytes are passed."""


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


def within(array: str, index: str, count: int) -> str:
    """An element in C++; where there is none at the index, some other one, for it may be read where the original does
    not come to it."""
    if index.isdigit():
        return f"{array}[{index}]"
    return f"{array}[(unsigned long long)({index}) < {count} ? ({index}) : 0]"


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
    taker = _Taker(ctx, expression, "reference", types.is_const(declaration.type), at, static=True)
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
    taker = _Taker(ctx, expression, "reference", types.is_const(declaration.type), at, static=True)
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


class _Taker:
    def __init__(
        self, ctx: Context, owner: str, passing: str, is_const: bool, at: Cursor, static: bool = False
    ) -> None:
        self.ctx = ctx
        self.owner = owner
        self.static = static
        self.passing = passing
        self.is_const = is_const
        self.at = at
        self.params: list[Param] = []
        self.parts: list[Part] = []
        self.through: tuple[str, ...] = ()
        """The pointers that were followed to where it is."""
        self.in_union = False
        """Whether the memory at hand may be other fields', too."""

    def part(self, param: str, path: str, kind: str = "value") -> Part:
        part = Part(param, path, kind, through=self.through, shared=self.in_union)
        self.ctx.part_of[param] = self.owner, part
        return part

    def described(self, name: str) -> str:
        """What a part is, where it is assigned."""
        return f"the static variable '{name}'" if self.static else f"the field '{name}' of an object of the caller's"

    def record(self, t: ClangType, prefix: str, path: str) -> RecordPlace:
        """The object with a parameter for each field that can be one; the others are refused where they are used."""
        place = RecordPlace({}, types.canonical(t), prefix)
        before, self.in_union = self.in_union, self.in_union or classes.is_union(t)
        for f in classes.own_fields(self.ctx, t, self.at, unions=True):
            made = self.field(f, f"{prefix}{f.spelling}", f"{path}.{f.spelling}")
            if made is not None:
                place.fields[f.spelling] = made
        self.in_union = before
        return place

    def field(self, f: Cursor, name: str, path: str) -> Binding | None:
        ctx, t = self.ctx, f.type.get_canonical()
        if t.is_volatile_qualified() or types.is_reference(t):
            return None
        if types.register_bytes(t):
            return self.register(t, name, path, str(f.spelling))
        if types.is_function_pointer(t):
            return self.function(f, name, path)
        if classes.container(t):
            is_array = classes.container(t) == "vector" and vectors.has_elements(ctx, t)
            return self.vector(f, name, path) if is_array else None
        if types.is_pointer(t):
            alone = not (self.static or self.is_const or self.is_shared(f) or types.is_const(f.type))
            return self.pointer(types.pointee(t), name, path, str(f.spelling), f.type.spelling, alone)
        if types.is_array(t):
            return self.array(f, name, path)
        if classes.is_plain(t):
            return self.record(t, f"{name}_", path)
        type_ = types.scalar(t)
        if type_ is None:
            return None
        if f.is_bitfield() and type_.bits > 32 and ctx.unit.is_c:
            return None  # in C, compilers compute with such fields at widths of their own
        kind = "bits" if f.is_bitfield() else "value"
        alone = not (self.static or self.is_const or self.is_shared(f) or types.is_const(f.type))
        return self.scalar(type_, name, path, str(f.spelling), f.type.spelling, kind, alone and type_.bits >= 8)

    def is_shared(self, f: Cursor) -> bool:
        """Whether a field's memory may be other fields', too."""
        return self.in_union or classes.is_in_union(f)

    def function(self, f: Cursor, name: str, path: str) -> Alias | None:
        """A pointer to one of the functions that the file gives it, as the function's number: calls with others are the
        original's."""
        ctx = self.ctx
        known = [(ctx.unit.number_of(g), queries.at_file_scope(g)) for g in assigned_functions.given_to(ctx.unit, f)]
        known = [(number, named) for number, named in known if named]
        if not known:
            return None
        flat = ctx.unique(name)
        ctx.parameters[flat] = I64
        ctx.stable.add(flat)
        self.params.append(Param(flat, I64, c_type="int64_t"))
        self.parts.append(replace(self.part(flat, path, "function"), choices=tuple(known)))
        value = Variable(I64, flat)
        one: Expr = make_bool(False)
        for number, _ in known:
            one = op.disjunction(one, op.binary("==", value, const(number, I64)))
        ctx.asked[flat] = one
        targets = frozenset(function_target(number) for number, _ in known)
        return Alias(Pointer(targets, value, types.pointee(f.type.get_canonical()), str(f.spelling)))

    def scalar(
        self, type_: Type, name: str, path: str, spelled: str, c_type: str, kind: str = "value", alone: bool = False
    ) -> VariablePlace:
        """A number, which is not assigned unless the function has a copy; it may have one of memory that is no other
        field's, `alone`."""
        ctx, flat = self.ctx, self.ctx.unique(name)
        ctx.parameters[flat] = type_
        self.params.append(Param(flat, type_, c_type=c_type))
        self.parts.append(self.part(flat, path, kind))
        if self.passing == "value" and kind != "bits":
            return VariablePlace(flat, type_)
        if flat in ctx.found.changed_fields:
            self.left(type_, flat, path, c_type)
            return VariablePlace(flat, type_)
        ctx.fixed[flat] = self.described(spelled)
        if alone and kind == "value":
            ctx.changeable.add(flat)
        return VariablePlace(flat, type_)

    def left(self, type_: Type, flat: str, path: str, c_type: str) -> None:
        """The memory of a field that is assigned."""
        ctx = self.ctx
        memory = ctx.left[flat] = ctx.unique(f"{flat}_left")
        ctx.arrays[memory] = type_
        ctx.pointer_parameters.add(memory)
        ctx.sizes[memory] = (1,)
        self.params.append(Param(memory, type_, True, c_type=f"{c_type} *"))
        self.parts.append(self.part(memory, f"(&{path})", "left"))

    def pointer(
        self, pointee: ClangType, name: str, path: str, spelled: str, c_type: str, alone: bool = False
    ) -> PointerPlace | Alias | None:
        """A pointer, which may be moved where its memory is no other field's, `alone`."""
        ctx = self.ctx
        if types.is_pointer(pointee):
            return self.several(pointee, name, path, spelled)
        if types.is_function(pointee):
            return None
        if pointee.is_volatile_qualified():
            return None
        if f"{name}_" in ctx.found.viewed:
            seen = ctx.found.viewed[f"{name}_"]
            spelled = types.canonical(seen).spelling.removeprefix("const ")
            return self.reached(seen, name, f"(*({spelled} * __attribute__((may_alias)) *)&{path})")
        if name in ctx.found.reached:
            return self.reached(pointee, name, path)
        if not types.is_void(pointee) and not memory_views.lies_in_arrays(ctx, pointee):
            return None
        flat = ctx.unique(name)
        unit = ctx.found.allocated.get(flat)
        if unit is None and types.is_void(pointee):
            unit = UInt(8)
            ctx.untyped.add(flat)
        unit = unit or memory_views.unit_of(ctx, flat, pointee, self.at)
        assert unit is not None
        ctx.arrays[flat] = unit
        ctx.pointer_parameters.add(flat)
        if types.is_const(pointee):
            ctx.const_arrays.add(flat)
        if classes.is_plain(pointee):
            ctx.followable.add(flat)
        ctx.locals[flat] = I64
        ctx.point(flat, frozenset({flat}))
        self.params.append(Param(flat, unit, True, types.is_const(pointee), c_type=c_type))
        self.parts.append(self.part(flat, path, "pointer"))
        if self.passing != "value" and flat in ctx.found.changed_fields:
            self.moved(flat, path)
        elif self.passing != "value":
            ctx.fixed[flat] = self.described(spelled)
            if alone:
                ctx.changeable.add(flat)
        return PointerPlace(flat, pointee, spelled)

    def moved(self, flat: str, path: str) -> None:
        """Memory for how far a pointer is moved."""
        ctx = self.ctx
        memory = ctx.moved[flat] = ctx.unique(f"{flat}_moved")
        ctx.arrays[memory] = I64
        ctx.pointer_parameters.add(memory)
        ctx.fresh.add(memory)
        ctx.sizes[memory] = (1,)
        self.params.append(Param(memory, I64, True, c_type="int64_t *"))
        self.parts.append(self.part(memory, path, "moved"))

    def several(self, inner: ClangType, name: str, path: str, spelled: str) -> Alias | None:
        """An array of as many pointers as are told apart by constants, or of pointers to rows."""
        ctx = self.ctx
        if name in ctx.found.tabled:
            return self.table(types.pointee(inner), name, path)
        known: list[PointerPlace] = []
        before, self.through = self.through, (*self.through, path)
        for k in range(ctx.found.elements.get(name, 0)):
            place = self.pointer(types.pointee(inner), f"{name}_{k}", f"{path}[{k}]", f"{spelled}[{k}]", inner.spelling)
            if not isinstance(place, PointerPlace):
                return None
            ctx.fixed[place.name] = f"the element {k} of the array of pointers '{spelled}'"
            known.append(place)
        chosen = self.chosen(inner, name, path, spelled, MOST_POINTERS)
        self.through = before
        return Alias(Pointers(tuple(known), spelled, given=name, chosen=chosen))

    def chosen(
        self, inner: ClangType, name: str, path: str, spelled: str, count: int
    ) -> tuple[tuple[Choice, PointerPlace], ...]:
        """The pointers of an array that are told by what is fixed at the call."""
        before, out = self.through, []
        for choice in self.ctx.found.chosen.get(name, ()):
            first = len(self.parts)
            self.through = (*before, *(p for p in choice.through if p not in before))
            own = f"{name}_at_{choice.label}"
            text = within(path, choice.text, count)
            place = self.pointer(types.pointee(inner), own, text, f"{spelled}[{choice.label}]", inner.spelling)
            self.parts[first:] = [replace(p, behind=choice.behind) for p in self.parts[first:]]
            if isinstance(place, PointerPlace):
                self.ctx.chosen_pointers[place.name] = name, choice.index, count
                out.append((choice, place))
        self.through = before
        return tuple(out)

    def table(self, element: ClangType, name: str, path: str) -> Alias | None:
        """An array of pointers to rows: their elements, the distance of rows, and whether there is one."""
        ctx = self.ctx
        untyped = types.is_void(element) and name in ctx.found.allocated
        if element.is_volatile_qualified() or not (untyped or memory_views.lies_in_arrays(ctx, element)):
            return None
        flat, pitch, address = ctx.unique(name), ctx.unique(f"{name}_pitch"), ctx.unique(f"{name}_rows")
        unit = ctx.found.allocated.get(flat) or memory_views.unit_of(ctx, flat, element, self.at)
        assert unit is not None
        for array, type_ in ((address, UInt(8)), (flat, unit)):
            ctx.arrays[array] = type_
            ctx.pointer_parameters.add(array)
        if types.is_const(element):
            ctx.const_arrays.add(flat)
        ctx.parameters[pitch] = I64
        ctx.stable.add(pitch)
        ctx.row_tables[flat] = pitch
        self.params.append(Param(address, UInt(8), True, True, c_type="void *"))
        self.params.append(Param(flat, unit, True, types.is_const(element), c_type=f"{element.spelling} *"))
        self.params.append(Param(pitch, I64, c_type="ptrdiff_t"))
        kinds = ((address, "rows_address"), (flat, "rows_first"), (pitch, "rows_pitch"))
        self.parts += [self.part(param, path, kind) for param, kind in kinds]
        return Alias(RowTable(flat, pitch, element, address))

    def reached(self, pointee: ClangType, name: str, path: str) -> Alias:
        """The object that a pointer leads to, which is read once, too."""
        ctx, before, whole = self.ctx, self.through, f"(*{path})"
        around, self.in_union = self.in_union, False
        address = ctx.unique(name)
        ctx.objects[address] = int(pointee.get_canonical().get_size())
        ctx.arrays[address] = UInt(8)
        ctx.pointer_parameters.add(address)
        self.through = (*before, path)
        self.params.append(Param(address, UInt(8), True, True, c_type=f"{pointee.spelling} *"))
        self.parts.append(self.part(address, whole, "address"))
        first = len(self.parts)
        place = replace(self.record(pointee, f"{name}_", whole), address=address, given=True)
        ctx.objects_of.update({p.param: address for p in self.parts[first:] if p.kind in _INSIDE})
        for p in self.parts[first:]:
            if p.kind == "moved" and p.through == self.through:
                ctx.moved_in[p.param] = address
        self.through, self.in_union = before, around
        return Alias(RecordPointer(place, address))

    def vector(self, f: Cursor, name: str, path: str) -> Binding | None:
        """A vector inside the object, whose length does not change."""
        ctx = self.ctx
        element = vectors.element_of(ctx, f.type, self.at)
        flat, size = ctx.unique(name), ctx.unique(f"{name}_size")
        unit = memory_views.unit_of(ctx, flat, element, self.at)
        assert unit is not None
        constant = self.is_const and self.passing != "value"
        ctx.arrays[flat] = unit
        ctx.pointer_parameters.add(flat)
        if constant:
            ctx.const_arrays.add(flat)
        if self.passing == "value":
            ctx.fresh.add(flat)
        ctx.sizes[flat] = (size, int(element.get_size()) // unit.bytes())
        ctx.parameters[size] = Int(32)
        ctx.fixed[size] = self.described(str(f.spelling))
        self.params.append(Param(flat, unit, True, constant, c_type=f"{element.spelling} *"))
        self.params.append(Param(size, Int(32), c_type="int"))
        self.parts.append(self.part(flat, f"{path}.data()", "data"))
        self.parts.append(self.part(size, f"{path}.size()", "size"))
        return Alias(Vector(flat, op.cast(Variable(Int(32), size), I64), element))

    def register(self, t: ClangType, name: str, path: str, spelled: str) -> ElementPlace:
        """A SIMD register, which is memory that is only read."""
        ctx, flat = self.ctx, self.ctx.unique(name)
        needed = _PASSED_BY.get(types.register_bytes(t)) if self.passing == "value" else None
        if needed is not None and needed not in ctx.unit.parsed.command.macros():
            # What calls it would pass it otherwise than a function that is compiled for more than its file.
            whole = f"register of {8 * types.register_bytes(t)} bits '{spelled}', passed without {needed}"
            ctx.fail(whole, self.at, "compile for the extension")
        unit = memory_views.unit_of(ctx, flat, t, self.at)
        assert unit is not None
        ctx.arrays[flat] = unit
        ctx.pointer_parameters.add(flat)
        ctx.const_arrays.add(flat)
        ctx.whole.add(flat)
        ctx.given_registers.add(flat)
        ctx.sizes[flat] = (types.register_bytes(t) // unit.bytes(),)
        if self.passing == "value":
            ctx.fresh.add(flat)
        self.params.append(Param(flat, unit, True, True, c_type="void *"))
        self.parts.append(self.part(flat, f"(*(char (*)[{types.register_bytes(t)}])&{path})", "array"))
        return ElementPlace(Pointer(frozenset({flat}), const(0, I64), t, spelled))

    def array(self, f: Cursor, name: str, path: str) -> Binding | None:
        ctx, inner, count = self.ctx, types.innermost(f.type), types.count(f.type)
        if count <= 0:
            return None
        if types.is_pointer(inner):
            if len(types.shape(f.type)) != 1:
                return None
            if name in ctx.found.tabled:
                return self.table(types.pointee(inner), name, path)
            places = [
                self.pointer(types.pointee(inner), f"{name}_{k}", f"{path}[{k}]", f"{f.spelling}[{k}]", inner.spelling)
                for k in range(count)
            ]
            known = tuple(p for p in places if isinstance(p, PointerPlace))
            if len(known) != count:
                return None
            chosen = self.chosen(inner, name, path, str(f.spelling), count)
            return Alias(Pointers(known, str(f.spelling), given=name, chosen=chosen))
        if not memory_views.lies_in_arrays(ctx, f.type):
            return None
        flat = ctx.unique(name)
        unit = memory_views.unit_of(ctx, flat, f.type, self.at)
        assert unit is not None
        constant = types.is_const(f.type) or (self.is_const and self.passing != "value") or classes.is_in_union(f)
        ctx.arrays[flat] = unit
        ctx.pointer_parameters.add(flat)
        ctx.sizes[flat] = (int(f.type.get_canonical().get_size()) // unit.bytes(),)
        if constant:
            ctx.const_arrays.add(flat)
        if self.passing == "value":
            ctx.fresh.add(flat)
        self.params.append(Param(flat, unit, True, constant, c_type=f"{inner.spelling} *"))
        self.parts.append(self.part(flat, path, "array"))
        if len(types.shape(f.type)) != 1 or types.scalar(inner) != unit:
            ctx.whole.add(flat)
        return ElementPlace(Pointer(frozenset({flat}), const(0, I64), f.type.get_canonical(), str(f.spelling)))


def is_read_only(ctx: Context, p: Cursor) -> bool:
    """Whether a parameter is a reference to an object that a function only reads.  (Behind a pointer there may be many
    objects, or none that may be read.)"""
    return types.is_reference(p.type) and (types.is_const(types.canonical(p.type)) or p.hash not in ctx.changed)


def take_container(ctx: Context, name: str, t: ClangType, at: Cursor) -> Taken:
    """A parameter that is a container, or a reference to one.  Raises Unsupported for pointers to containers."""
    kind, own = classes.container(t), types.canonical(t)
    passing = "reference" if types.is_reference(t) else "value"
    if kind == "unique_ptr":
        ctx.fail(f"parameter '{name}' of type '{at.type.spelling}'", at, "pass a pointer")
    element = vectors.element_of(ctx, t, at)
    flat = ctx.unique(name)
    unit = memory_views.unit_of(ctx, flat, element, at)
    assert unit is not None
    constant = passing == "reference" and types.is_const(own)
    ctx.arrays[flat] = unit
    ctx.pointer_parameters.add(flat)
    if constant:
        ctx.const_arrays.add(flat)
    if passing == "value" or kind == "rows":
        ctx.fresh.add(flat)
    if passing == "reference":
        ctx.containers[flat] = name
    params = [Param(flat, unit, True, constant, c_type=f"{element.spelling} *")]
    each = int(element.get_size()) // unit.bytes()
    bare = own.spelling.removeprefix("const ")
    spelled = t.get_canonical().spelling
    if kind == "array":
        extent = int(own.get_size()) // int(element.get_size())
        ctx.sizes[flat] = (extent, each)
        binding = Alias(Vector(flat, const(extent, I64), element))
        return Taken(Argument(name, spelled, bare, passing, (Part(flat, "@.data()", "data"),), True), params, binding)

    def number(hint: str) -> Expr:
        params.append(Param(hint, Int(32), c_type="int"))
        ctx.parameters[hint] = Int(32)
        ctx.stable.add(hint)
        return op.cast(Variable(Int(32), hint), I64)

    if kind == "vector":
        size = ctx.unique(f"{name}_size")
        length = number(size)
        ctx.sizes[flat] = (size, each)
        two = (Part(flat, "@.data()", "data"), Part(size, "@.size()", "size"))
        return Taken(Argument(name, spelled, bare, passing, two, True), params, Alias(Vector(flat, length, element)))
    rows, columns = ctx.unique(f"{name}_rows"), ctx.unique(f"{name}_cols")
    count, pitch = number(rows), number(columns)
    ctx.sizes[flat] = (rows, columns, each)
    ctx.rows.add(flat)
    parts = (Part(flat, element.spelling, "rows"), Part(rows, "@.size()", "count"), Part(columns, "", "length"))
    return Taken(Argument(name, spelled, bare, passing, parts, True), params, Alias(Rows(flat, count, pitch, element)))


def result(ctx: Context, t: ClangType, at: Cursor) -> tuple[Container, Param]:
    """The container that the function returns, whose elements lie in a parameter's memory."""
    array = ctx.result_array
    if not array:
        ctx.fail("function that returns no container of its own", at)
    element = vectors.element_of(ctx, t, at)
    unit = ctx.arrays[array]
    extents = tuple(ctx.result_extents)
    ctx.sizes[array] = (*extents, int(element.get_size()) // unit.bytes())
    if len(extents) == 2:
        ctx.rows.add(array)
    return Container(array, element.spelling, extents), Param(array, unit, True, c_type=f"{element.spelling} *")
