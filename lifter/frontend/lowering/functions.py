"""A function definition as a function of the loop language."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from clang import cindex
from clang.cindex import Cursor, CursorKind, LinkageKind, StorageClass, TypeKind
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I64, const
from halide_core.ir.structural import variables
from halide_core.ir.types import Type, UInt
from lifter.frontend.clang import classes, file_scope, kept_values, queries, types
from lifter.frontend.clang.libclang import children, place, preorder
from lifter.frontend.clang.unit import Unit
from lifter.frontend.lowering import branches, cautions, new_vectors, returned_pointers, returned_records
from lifter.frontend.lowering.table import TABLE
from lifter.frontend.objects import (
    aligned_memory,
    allocations,
    changed_fields,
    chosen_elements,
    container_parameters,
    deallocations,
    end_pointers,
    memory_views,
    parameters,
    registers,
    scalar_replacement,
    shaping_elements,
    used_parameters,
    views,
)
from lifter.frontend.objects.parameters import Taken
from lifter.frontend.state import descent, joined_arrays
from lifter.frontend.state.context import ChangedField, Context, Forked, NullMarked
from lifter.frontend.state.found import Again, Found, Sites
from lifter.frontend.state.values import Alias, Binding, ElementPlace, Pointer, PointerPlace, RecordPlace, VariablePlace
from lifter.ir.loop_ir import Assert, Function, Interface, Loop, Param, Part, Stmt, Unsupported, expressions, walk
from lifter.simd.lanes import Lanes, is_constant

K = CursorKind


def is_internal(c: Cursor) -> bool:
    """Whether a function is not visible outside its file, or only there if used: static, inline, unnamed namespace."""
    return bool(
        c.storage_class == StorageClass.STATIC
        or c.linkage in (LinkageKind.INTERNAL, LinkageKind.UNIQUE_EXTERNAL, LinkageKind.NO_LINKAGE)
        or _is_inline(c)
    )


def _is_inline(c: Cursor) -> bool:
    return bool(cindex.conf.lib.clang_Cursor_isFunctionInlined(c))


def symbol(c: Cursor) -> str:
    """The linker name."""
    return str(c.mangled_name or c.spelling)


def lower(unit: Unit, c: Cursor) -> Function:
    """The function; raises Unsupported for what the loop language cannot express."""
    found = Found()
    as_declared: Function | None = None
    while True:
        active = list(unit.active)
        ctx = Context(unit, c, TABLE, found)
        try:
            function = _lower(unit, c, ctx)
            if found.refused and not any(isinstance(s, Loop) for s in walk(function.body)):
                raise next(iter(found.refused.values()))  # nothing is left of it
            wider = {name: t for name, t in ctx.only_wider().items() if name not in found.allocated}
            if not wider:
                return function
            as_declared = as_declared or function
            found.allocated |= wider
        except Unsupported:
            unit.active[:] = active
            if as_declared is not None:
                return as_declared
            if not found.sites.used:
                raise
            found.sites = Sites(by_site=False)  # one array may not be what another one of its site is
        except Again as wanted:
            unit.active[:] = active
            _learn(ctx, found, wanted)


def _learn(ctx: Context, found: Found, wanted: Again) -> None:
    """Adds what a lowering has found out, which has ended by it."""
    match wanted:
        case memory_views.Narrower():
            if wanted.array in ctx.pointer_parameters and found.allocated.pop(wanted.array, None) is not None:
                found.mixed.add(wanted.array)  # not all of one type after all
                return
            # Each round narrows a unit, down to a byte at last,
            found.unit_bytes[wanted.array] = wanted.bytes_each
            found.sites.learn_bytes(ctx.sites_of.get(wanted.array), wanted.bytes_each)
        case registers.Relaned():
            # or learns of one variable's lanes, once for each.
            found.lane_types[wanted.key] = wanted.type
        case registers.Varied():
            found.varied.add(wanted.array)
        case registers.Addressed():
            found.addressed.add(wanted.key)
        case memory_views.Retyped():
            found.allocated[wanted.array] = wanted.type
            found.sites.learn_type(ctx.sites_of.get(wanted.array), wanted.type)
        case joined_arrays.Together():
            found.groups.append(wanted.arrays)
        case end_pointers.Ended():
            found.ends[wanted.end] = wanted.start
        case branches.Refused():
            found.refused[wanted.arm] = wanted.problem
        case Forked():
            found.forked[wanted.statement] = (*found.forked.get(wanted.statement, ()), wanted.condition)
        case parameters.Reached():
            found.reached.add(wanted.name)
        case shaping_elements.Single():
            found.single.add(wanted.name)
        case parameters.Element():
            found.elements[wanted.name] = max(found.elements.get(wanted.name, 0), wanted.number + 1)
        case chosen_elements.Chosen():
            found.chosen[wanted.table] = (*found.chosen.get(wanted.table, ()), wanted.choice)
        case views.Viewed():
            found.viewed[wanted.prefix] = wanted.type
        case parameters.Tabled():
            found.tabled.add(wanted.name)
        case NullMarked():
            found.null_marked.add(wanted.name)
        case ChangedField():
            found.changed_fields.add(wanted.name)
        case parameters.Static():
            found.statics[wanted.expression] = wanted.declaration


def _is_without_prototype(c: Cursor) -> bool:
    """Whether callers pass other types than the function declares: `f(x) float x; { ... }` takes a double."""
    type_ = c.type.get_canonical()
    passed = type_.argument_types() if type_.kind is TypeKind.FUNCTIONPROTO else []
    declared = [k.type for k in children(c) if k.kind is K.PARM_DECL]
    same = [types.scalar(a) == types.scalar(b) for a, b in zip(passed, declared, strict=False)]
    return len(passed) != len(declared) or not all(same)


_UNKNOWN = "a type or construct unknown to libclang's binding"
"""Said where the binding has no name for a kind of types or cursors, and raises ValueError."""


def _modified(ctx: Context, body: Cursor) -> Counter[int]:
    try:
        return queries.modified(body)
    except ValueError:
        ctx.fail(_UNKNOWN)


def _lower(unit: Unit, c: Cursor, ctx: Context) -> Function:
    """The function as far as it is known what its arrays and variables are.  Raises `Again` for more."""
    cautions.check(ctx, c, c)
    _check_kind(unit, c, ctx)
    body = next((k for k in children(c) if k.kind is K.COMPOUND_STMT), None)
    if body is None:
        ctx.fail("function body that is not a plain block", c)
    returned = None if types.is_reference(c.result_type) else classes.container(c.result_type)
    in_memory = returned or returned_records.is_of(c.result_type)
    result = None if types.is_void(c.result_type) or in_memory else _result_type(ctx, c)
    ctx.changed = _modified(ctx, body)
    if returned:
        _prepare_result(ctx, c, body)
    taken = [_this(ctx, c)] if _is_of_object(c) else []
    taken += [_taken(ctx, p, i) for i, p in enumerate(c.get_arguments())]
    _take_statics(ctx, c)
    record = returned_records.prepare(ctx, c) if returned_records.is_of(c.result_type) else []
    lowered = _simplified(ctx, c, changed_fields.given_back(ctx, _statements(ctx, c, body)))
    taken += [Taken(argument, params) for argument, params in ctx.statics.values()]
    lowered, taken = shaping_elements.as_parameters(ctx, lowered, taken)
    made = [container_parameters.result(ctx, c.result_type, c)] if returned else []
    pointer = returned_pointers.finished(ctx, c.result_type) if returned_pointers.is_of(c.result_type) else None
    call = Interface(
        (), c.result_type.get_canonical().spelling, made[0][0] if made else None, pointer, tuple(p for p, _ in record)
    )
    lowered, taken, interface = _called(ctx, call, lowered, taken)
    name = symbol(c)
    return Function(
        name=c.spelling,
        symbol=name,
        params=(*(p for t in taken for p in t.params), *(p for _, p in made), *(p for _, p in record)),
        return_type=result,
        body=tuple(lowered),
        locals=ctx.locals,
        arrays=ctx.arrays,
        tables=ctx.tables,
        functions=ctx.functions,
        file=unit.path,
        line=place(c.extent.start)[1],
        end_line=place(c.extent.end)[1],
        extern_c=name == c.spelling,
        c_return_type=c.result_type.spelling,
        internal=is_internal(c),
        column=place(c.extent.start)[2],
        qualified=file_scope.name(c),
        c_type=c.type.get_canonical().spelling,
        of_object=_is_of_object(c),
        is_virtual=bool(c.is_virtual_method()),
        notes=tuple(ctx.notes),
        interface=interface,
        objects=ctx.objects,
        objects_of=ctx.objects_of,
        moved=ctx.moved_in,
        fresh=frozenset(ctx.fresh),
        sizes=ctx.sizes,
        inside=chosen_elements.inside(ctx, lowered),
        rows=frozenset(ctx.rows),
        row_tables=ctx.row_tables,
        uses_registers=ctx.uses_registers,
    )


def _called(
    ctx: Context, call: Interface, lowered: list[Stmt], taken: list[Taken]
) -> tuple[list[Stmt], list[Taken], Interface | None]:
    """The statements and the parameters that are left of what arguments were taken apart into, and how the function is
    called: `call` with its arguments, or None where C++'s parameters and result are the function's own."""
    made = call.container or call.pointer or call.record
    if not made and all(t.argument.passing == "plain" for t in taken):
        return lowered, taken, None
    lowered, taken = used_parameters.split_arrays(ctx, lowered, taken)
    lowered, taken = chosen_elements.split(ctx, lowered, taken)
    taken = used_parameters.used(ctx, lowered, taken)
    return lowered, taken, replace(call, arguments=tuple(end_pointers.finished(ctx, t.argument) for t in taken))


def _is_of_object(c: Cursor) -> bool:
    """Whether a function is called on an object."""
    return c.kind is K.CXX_METHOD and not c.is_static_method()


def _check_kind(unit: Unit, c: Cursor, ctx: Context) -> None:
    """Refuses functions that are lifted elsewhere, or not at all."""
    if c.kind not in (K.FUNCTION_DECL, K.CXX_METHOD):
        ctx.fail("member function of a class", c, "make it a free function")
    if c.semantic_parent.kind in (K.CLASS_TEMPLATE, K.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION):
        ctx.fail("member function of a class template", c, "it is lifted where it is called")
    if c.type.get_canonical().kind is TypeKind.FUNCTIONPROTO and c.type.get_canonical().is_function_variadic():
        ctx.fail("variadic function", c)
    if unit.is_c and _is_without_prototype(c):
        ctx.fail("function defined without a prototype", c, "declare the parameters in its head")


def _statements(ctx: Context, c: Cursor, body: Cursor) -> list[Stmt]:
    """What the body becomes, behind what the parameters have emitted."""
    own = queries.key(c)
    ctx.unit.active.append(own)
    try:
        with ctx.collecting() as block:
            descent.statement(ctx, body)
            ctx.flush()
            if ctx.alive and ctx.result_place is not None:
                ctx.fail("end of a function that returns a structure, without a return", c)
    except RecursionError:
        ctx.fail("expression nested too deeply", c)
    except ValueError:
        ctx.fail(_UNKNOWN)
    finally:
        ctx.unit.active.remove(own)
    used = {n for s in walk([*ctx.block, *block]) for e in expressions(s) for n in variables(e)}
    asked = [Assert(0, c) for name, c in ctx.asked.items() if name in used or name in ctx.assumed]
    return [*chosen_elements.asked(ctx, [*ctx.block, *block]), *asked, *ctx.block, *block]


def _simplified(ctx: Context, c: Cursor, block: list[Stmt]) -> list[Stmt]:
    """The statements with memory as it is known at the end of the function, after what is checked then."""
    registers.check_constants(ctx)
    deallocations.check(ctx, c)
    end_pointers.check(ctx, c, block)
    aligned_memory.check(ctx, block)
    block = allocations.without_starts(ctx, allocations.unconditional(block))
    by_element = [*ctx.register_arrays, *sorted(ctx.returned_arrays - ctx.register_arrays.keys())]
    block = scalar_replacement.split(ctx, block, [a for a in by_element if a in ctx.arrays])
    cautions.check_floats(ctx, c, block)
    return block


def _take_statics(ctx: Context, c: Cursor) -> None:
    """Variables of the file as parameters that callers do not see."""
    binding: Binding | None
    for expression, declaration in ctx.found.statics.items():
        set_up = _set_up(ctx, declaration)
        if set_up is None:
            binding = parameters.take_static(ctx, declaration, expression, c)
        else:
            binding = parameters.take_set_up(ctx, declaration, expression, set_up, c)
        if binding is not None:
            ctx.bind(declaration, binding)


def _set_up(ctx: Context, declaration: Cursor) -> Lanes | None:
    """The constant that a register of the file's is given in one place, as code that runs at the start does."""
    if not types.register_bytes(declaration.type) or declaration.spelling in ctx.unit.parsed.cautions.weak:
        return None
    if {declaration.hash, declaration.canonical.hash} & ctx.changed.keys():  # it is this very function
        return None
    given = kept_values.only_assignment(ctx.unit, declaration)
    if given is None:
        return None
    try:
        with ctx.collecting():
            v = descent.value(ctx, given)
    except Unsupported:  # it is no constant
        return None
    return v if isinstance(v, Lanes) and is_constant(v) else None


def _result_type(ctx: Context, c: Cursor) -> Type:
    if returned_pointers.is_of(c.result_type):
        return I64  # how far it lies behind a parameter
    found = types.scalar(c.result_type)
    if found is None or types.is_reference(c.result_type):
        ctx.fail(f"function returning '{c.result_type.spelling}'", c, "return a scalar or write through a pointer")
    return found


def _this(ctx: Context, c: Cursor) -> Taken:
    """The object of a member function, as its first parameter: memory where all in it is of one width, else its
    fields, for an integer in two halves would be known to be none."""
    own = c.semantic_parent.type
    if memory_views.lies_in_arrays(ctx, own) and memory_views.is_of_one_width(ctx, own):
        name = ctx.unique("self")
        unit = memory_views.unit_of(ctx, name, own, c)
        assert unit is not None
        ctx.arrays[name] = unit
        ctx.pointer_parameters.add(name)
        constant = bool(c.is_const_method())
        if constant:
            ctx.const_arrays.add(name)
        ctx.frames[0].this = ElementPlace(Pointer(frozenset({name}), const(0, I64), own.get_canonical(), "this"))
        c_type = f"{own.spelling} *"
        return parameters.plain(name, c_type, Param(name, unit, True, constant, c_type=c_type))
    taken = parameters.take(ctx, "this", own, c)
    assert taken is not None and isinstance(taken.binding, RecordPlace)
    ctx.frames[0].this = taken.binding
    return taken


def _prepare_result(ctx: Context, c: Cursor, body: Cursor) -> None:
    """A container that is returned is the caller's memory, from the start where each return is of one local."""
    kind = classes.container(c.result_type)
    if kind not in ("vector", "rows"):
        ctx.fail(f"function returning '{c.result_type.spelling}'", c, "return a scalar or write through a pointer")
    returns = [k for k in preorder(body) if k.kind is K.RETURN_STMT]
    locals_ = [new_vectors.returned_local(children(k)[0]) if children(k) else None for k in returns]
    variables = {k.referenced.hash for k in locals_ if k is not None and k.referenced.kind is K.VAR_DECL}
    if all(k is not None for k in locals_) and len(variables) == 1:
        ctx.result_variable = variables.pop()
    names = ["rows", "cols"] if kind == "rows" else ["size"]
    ctx.result_extents = [ctx.new_local(f"result_{n}", I64) for n in names]


def _taken(ctx: Context, p: Cursor, position: int) -> Taken:
    if classes.container(p.type):
        whole = container_parameters.take_container(ctx, p.spelling or f"unnamed_{position}", p.type, p)
        assert whole.binding is not None
        ctx.bind(p, whole.binding)
        return whole
    if parameters.is_class(p.type) or f"{p.spelling}_" in ctx.found.viewed:
        read_only = parameters.is_read_only(ctx, p)
        found = parameters.take(ctx, p.spelling or f"unnamed_{position}", p.type, p, read_only)
        if found is not None:
            assert found.binding is not None
            ctx.bind(p, found.binding)
            return found
    if types.register_bytes(p.type) and p.hash not in ctx.changed and p.spelling:
        register = parameters.take_register(ctx, p, p.spelling)
        assert register.binding is not None
        ctx.bind(p, register.binding)
        return register
    if p.spelling in ctx.found.ends:
        return _end(ctx, p)
    if _is_of_pointers(p.type) and p.hash not in ctx.changed and p.spelling:
        pointers = parameters.take_pointers(ctx, p, p.spelling)
        if pointers is not None:
            assert pointers.binding is not None
            ctx.bind(p, pointers.binding)
            return pointers
    if types.is_reference(p.type) and p.spelling and p.hash not in ctx.changed:
        referred = parameters.take_reference(ctx, p, p.spelling)
        if referred is not None:
            assert referred.binding is not None
            ctx.bind(p, referred.binding)
            return referred
    param = _parameter(ctx, p, position)
    return parameters.plain(param.name, types.passed_spelling(p.type), param)


def _is_of_pointers(t: ClangType) -> bool:
    """Whether a parameter is an array of pointers, or a pointer to its first one."""
    whole = t.get_canonical()
    inner = types.element(whole) if types.is_array(whole) else types.pointee(whole) if types.is_pointer(whole) else None
    return inner is not None and types.is_pointer(inner) and not types.is_function_pointer(inner)


def _end(ctx: Context, p: Cursor) -> Taken:
    """A pointer to where another one's memory ends."""
    name, pointee = ctx.unique(p.spelling), types.pointee(p.type)
    argument, number, distance = end_pointers.argument(ctx, name, p.type.get_canonical().spelling)
    targets = frozenset({ctx.found.ends[name]})
    if p.hash in ctx.changed:
        ctx.locals[name] = I64
        ctx.point(name, targets)
        ctx.assign(name, distance)
        ctx.bind(p, PointerPlace(name, pointee))
    else:
        ctx.bind(p, Alias(Pointer(targets, distance, pointee, name)))
    return Taken(argument, [Param(number, I64, c_type="ptrdiff_t")])


def _parameter(ctx: Context, p: Cursor, position: int) -> Param:
    name = ctx.unique(p.spelling or f"unnamed_{position}")
    t = p.type.get_canonical()
    if t.is_volatile_qualified():
        ctx.fail(f"volatile parameter '{name}'", p)
    if types.is_reference(p.type) or types.is_pointer(t) or types.is_array(t):
        return _pointer_parameter(ctx, p, name)
    type_ = types.scalar(p.type)
    if type_ is None:
        ctx.fail(f"parameter '{name}' of type '{p.type.spelling}'", p, _advice(p))
    ctx.parameters[name] = type_
    if p.hash not in ctx.changed:
        ctx.stable.add(name)
        ctx.part_of[name] = "", Part(name, "@")
    ctx.bind(p, VariablePlace(name, type_))
    return Param(name, type_, c_type=p.type.spelling)


def _unit(ctx: Context, name: str, pointee: ClangType, shown: str, p: Cursor) -> Type:
    if not types.is_record(types.innermost(pointee)) and not types.register_bytes(types.innermost(pointee)):
        type_ = types.scalar(types.innermost(pointee))
        if type_ is None:
            ctx.fail(shown, p, "use pointers to scalars")
    try:
        found = memory_views.unit_of(ctx, name, pointee, p)
    except Unsupported as inside:
        ctx.fail(f"{shown}: {inside.construct}", p, inside.advice)
    if found is None:
        ctx.fail(f"{shown}, a structure of integers and floats", p, "pass its fields as parameters")
    return found


def _advice(p: Cursor) -> str:
    return "pass its fields as parameters" if types.canonical(p.type).kind is TypeKind.RECORD else ""


def _pointer_parameter(ctx: Context, p: Cursor, name: str) -> Param:
    reference = types.is_reference(p.type)
    pointee = types.canonical(p.type) if reference else types.pointee(p.type)
    shown = f"parameter '{name}' of type '{p.type.spelling}'"
    if types.is_pointer(pointee) or types.is_pointer(types.innermost(pointee)):
        ctx.fail(f"{shown} (pointer to pointer)", p, "use one pointer and a stride")
    if types.is_function(pointee):
        ctx.fail(f"{shown} (function pointer)", p)
    if types.innermost(pointee).is_volatile_qualified():
        ctx.fail(f"volatile elements of {shown}", p)
    if types.count(pointee) < 0:
        ctx.fail(f"{shown} (array of variable size)", p)
    type_ = ctx.found.allocated.get(name)
    if type_ is None and types.is_void(pointee):
        type_ = UInt(8)
        ctx.untyped.add(name)
    if type_ is None:
        type_ = _unit(ctx, name, pointee, shown, p)
    const_ = types.is_const(pointee)
    ctx.arrays[name] = type_
    ctx.pointer_parameters.add(name)
    if const_:
        ctx.const_arrays.add(name)
    targets = frozenset({name})
    start = Pointer(targets, const(0, I64), pointee, name)
    if reference:
        ctx.bind(p, ElementPlace(start))
    elif p.hash in ctx.changed:
        ctx.locals[name] = I64
        ctx.point(name, targets)
        ctx.bind(p, PointerPlace(name, pointee))
    else:
        ctx.bind(p, Alias(start))
    restrict = bool(p.type.get_canonical().is_restrict_qualified())
    return Param(name, type_, True, const_, restrict, p.type.spelling)
