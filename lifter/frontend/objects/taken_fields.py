"""The fields of objects that the caller gives, each a parameter of the lifted function: a number, a pointer, memory."""

from __future__ import annotations

from dataclasses import replace

from clang.cindex import Cursor
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I64, Expr, Variable, const, make_bool
from halide_core.ir.types import Int, Type, UInt
from lifter.frontend.clang import assigned_functions, classes, file_scope, types
from lifter.frontend.objects import memory_views, vectors
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.found import Choice
from lifter.frontend.state.values import (
    Alias,
    Binding,
    ElementPlace,
    Pointer,
    PointerPlace,
    Pointers,
    RecordPlace,
    RecordPointer,
    RowTable,
    VariablePlace,
    Vector,
    function_target,
)
from lifter.ir.loop_ir import Param, Part

INSIDE = ("array", "left")
"""Kinds of parts whose memory lies in the object."""
MOST_POINTERS = 16
"""Of an array that are told apart by constants."""

_PASSED_BY = {32: "__AVX__", 64: "__AVX512F__"}
"""The macro of the extension by whose registers so many bytes are passed."""


def within(array: str, index: str, count: int) -> str:
    """An element in C++; where there is none at the index, some other one, for it may be read where the original does
    not come to it."""
    if index.isdigit():
        return f"{array}[{index}]"
    return f"{array}[(unsigned long long)({index}) < {count} ? ({index}) : 0]"


class TakenFields:
    """The parameters and parts of one parameter, `owner`, as its fields are gone through."""

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
        known = [(ctx.unit.number_of(g), file_scope.name(g)) for g in assigned_functions.given_to(ctx.unit, f)]
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
        ctx.objects_of.update({p.param: address for p in self.parts[first:] if p.kind in INSIDE})
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
