"""Functions with parameters of class type, for tests and timing: C++ that makes objects of scalars and pointers and
calls a function of the original's type, the opposite of an adapter."""

from __future__ import annotations

from collections.abc import Sequence

from codegen import returned_objects, row_tables
from codegen.flat_arguments import (
    declarable,
    extents,
    flat_result,
    flat_type,
    given_by_callers,
    include,
    nameable,
    numbered_function,
    packer_symbol,
    part_text,
    shown_symbol,
    without_macros,
)
from codegen.object_reads import asked_of_shared
from codegen.original import is_c
from lifter.ir.loop_ir import Argument, Container, Function, Interface, Part, ReturnedPointer, moved_fields

_SOME = 16
"""Objects behind a pointer, for tests: it may be an array of pointers."""


def _shown(function: Function, number: int, c: bool) -> str:
    name, linkage = f"lift_shown_{number}", "" if c else 'extern "C" '
    before: list[str] = []
    body = f"return (void *)static_cast<lift_same<{function.c_type}> *>(&{function.qualified});"
    if c:
        body = f"return (void *){function.qualified};"
    elif function.of_object:
        owner, _, method = function.qualified.rpartition("::")
        own = f"static_cast<lift_member<{owner}, {function.c_type}>>(&{function.qualified})"
        body = f"auto own = {own}; void *at; __builtin_memcpy(&at, &own, sizeof at); return at;"
        if function.is_virtual:  # such a pointer says where it is in a table
            called = f"return self->T::{method}(static_cast<A &&>(a)...);"
            before = [
                f"struct lift_called_{number} {{",
                f"    template <class T, class R, class... A> static R call(T *self, A... a) {{ {called} }}",
                "};",
            ]
            body = f"return lift_through<lift_called_{number}>({own});"
    return "\n".join([
        *before,
        f'{linkage}void *{name}(void) __asm__("{shown_symbol(function)}");',
        f"{linkage}void *{name}(void) {{ {body} }}",
    ])


def packers(source: str, functions: Sequence[Function]) -> str:
    """The original's translation unit with a packer for each function that needs one, and the addresses of those that
    are not visible outside of it."""
    c = is_c(source)
    shown = [_shown(f, number, c) for number, f in enumerate(functions) if f.internal and f.qualified]
    text = "\n".join([include(source), *without_macros(functions), *shown, packers_alone(functions, c)])
    return text if c else nameable(text)


def packers_alone(functions: Sequence[Function], c: bool) -> str:
    """The packers without the unit at whose end they stand, which has its headers and none of the macros."""
    parts = ["#include <string.h>\n"] if c else []
    parts += [_Packer(f, f.interface, n, c).text() for n, f in enumerate(functions) if f.interface is not None]
    return "\n".join(parts)


def _writers(function: Function, call: Interface, number: int, c: bool) -> list[str]:
    """Functions that give variables of static storage what the flat parameters say, and arrays back what is there."""
    out = []
    for a in (a for a in call.arguments if a.passing == "static"):
        for part in (p for p in a.parts if p.kind != "address"):
            name = f"{number}_p{[p.name for p in function.params].index(part.param)}"
            param = next(p for p in function.params if p.name == part.param)
            kind, text = flat_type(param), part.expression
            if part.kind == "array":
                own = f'void *own = (void *){text}; __asm__("" : "+r"(own));'  # a compiler knows that constants stay
                for verb, to, of in (("write", "own", "lift_given"), ("fetch", "lift_given", "own")):
                    body = f"{own} __builtin_memcpy({to}, {of}, sizeof({text}));"
                    out.append(f"static void lift_{verb}_{name}(void *lift_given) {{ {body} }}")
                continue
            if part.kind == "function":
                moved = f"__builtin_memcpy((void *)&{text}, &own, sizeof own);"
                body = f"void *own = {numbered_function(part, 'lift_given')}; {moved}"
                out.append(f"static void lift_write_{name}({kind} lift_given) {{ {body} }}")
                continue
            own = f"__typeof__({text})" if c else f"std::remove_cv_t<std::remove_reference_t<decltype({text})>>"
            # By its bytes, for it may be const.
            moved = f"{own} own = ({own})lift_given; __builtin_memcpy((void *)&{text}, &own, sizeof own);"
            body = f"{text} = ({own})lift_given;" if part.kind == "bits" else moved
            out.append(f"static void lift_write_{name}({kind} lift_given) {{ {body} }}")
    return out


class _Packer:
    """Writes the packer of one function: what stands before the call of the original, what is passed, and what is done
    after it."""

    def __init__(self, function: Function, call: Interface, number: int, c: bool) -> None:
        self.function, self.call, self.number, self.c = function, call, number, c
        self.copy = "memcpy" if c else "std::memcpy"
        self.names = {p.name: f"p{k}" for k, p in enumerate(function.params)}
        self.by_name = {p.name: p for p in function.params}
        self.shared = asked_of_shared(function, call, self.names)
        self.lines: list[str] = []
        self.passed: list[str] = []
        self.after: list[str] = []

    def text(self) -> str:
        returns = flat_result(self.call)
        declared = ", ".join(["void *target", *(f"{flat_type(p)} {self.names[p.name]}" for p in self.function.params)])
        linkage = "" if self.c else 'extern "C" '
        head = f"{linkage}{returns} lift_packer_{self.number}({declared})"
        self.lines = [
            *_writers(self.function, self.call, self.number, self.c),
            f'{head} __asm__("{packer_symbol(self.function)}");',
            f"{head} {{",
        ]
        for a in self.call.arguments:
            self._argument(a)
        self._called()
        return "\n".join([*self.lines, *self.after, "}", ""])

    def _argument(self, a: Argument) -> None:
        if a.passing == "measured":
            return
        if a.passing == "static":
            self._file_variable(a)
        elif a.passing == "plain":
            (part,) = a.parts
            name = self.names[part.param]
            self.passed.append(f"({a.type}){name}" if "&" not in a.type else _referred(a, name))
        elif a.passing == "end":
            sums = (f"((char *){self.names[p.expression]} + {self.names[p.param]} * {p.bytes_each})" for p in a.parts)
            self.passed.append(f"({a.type}){''.join(sums) or '0'}")
        elif _is_only_named(a):
            self.passed.append(f"({a.type}){self.names[a.parts[0].param]}")
        elif a.container:
            self.lines += _packed(a, self.names, self.after)
            self.passed.append(_moved(a, f"object_{a.name}"))
        else:
            self._object(a)

    def _file_variable(self, a: Argument) -> None:
        """A variable of the file is written before the call; an array that may be changed is fetched after it."""
        for part in (p for p in a.parts if p.kind != "address"):
            name = self.names[part.param]
            self.lines.append(f"    lift_write_{self.number}_{name}({name});")
            if part.kind == "array" and not self.by_name[part.param].const:
                self.after.append(f"    lift_fetch_{self.number}_{name}({name});")

    def _object(self, a: Argument) -> None:
        """An object is put together part by part."""
        whole = f"store_{a.name}.object" if self.c else f"object_{a.name}"
        self.lines += _storage(a, self.c)
        self.lines += _led_to(a, whole, self.names, self.c)
        for part in sorted(a.parts, key=lambda p: p.behind):
            self._part(a, part, whole)
        if a.passing == "pointer":
            null = next((self.names[p.param] for p in a.parts if p.kind == "address" and not p.through), "")
            address = f"({a.type}) &{whole}" if a.viewed else f"&{whole}"
            self.passed.append(f"{null} ? {address} : 0" if null else address)
        else:
            self.passed.append(_moved(a, whole))

    def _part(self, a: Argument, part: Part, whole: str) -> None:
        """One part of an object: it is given its value where the pointers that lead to it are there."""
        field = part_text(part.expression, whole, self.names.__getitem__)
        name = self.names[part.param]
        there = " && ".join(p.replace("@", whole) for p in part.through)
        if part.kind == "left":
            condition = f"if ({there}) " if there else ""
            self.after.append(f"    {condition}{self.copy}({name}, (void *){field}, sizeof(*{field}));")
            return
        if part.kind == "moved":
            pointer = next(p for p, memory in moved_fields(self.function).items() if memory == part.param)
            distance = f"(const char *){field} - (const char *){self.names[pointer]}"
            distance = f"{there} ? {distance} : 0" if there else distance
            self.after.append(f"    {{ int64_t moved = {distance}; {self.copy}({name}, &moved, sizeof moved); }}")
            return
        if part.kind in ("address", "size", row_tables.PITCH, row_tables.ADDRESS):
            return
        if (asked := self.shared.get(part.param)) is not None:
            there = f"{there} && ({asked})" if there else asked
        if there:
            self.lines.append(f"    if ({there})")
        if part.kind == row_tables.FIRST:
            self.lines += _tabled(a, part, field, self.function, self.names)
        elif part.kind == "array":
            self._array(part, field, name)
        elif part.kind == "data":
            self._vector(a, part, field, name)
        elif part.kind == "function":
            moved = f"{self.copy}((void *)&{field}, &own, sizeof own);"
            self.lines.append(f"    {{ void *own = {numbered_function(part, name)}; {moved} }}")
        elif part.kind == "bits":
            self.lines.append(f"    {field} = {name};")
        else:
            self._scalar(field, name)

    def _array(self, part: Part, field: str, name: str) -> None:
        self.lines.append(f"    {self.copy}((void *){field}, {name}, sizeof({field}));")
        if not self.by_name[part.param].const:
            self.after.append(f"    {self.copy}({name}, (void *){field}, sizeof({field}));")

    def _vector(self, a: Argument, part: Part, field: str, name: str) -> None:
        self.lines.append(_made_vector(a, part, self.names))
        if not self.by_name[part.param].const:
            size = f"{field.removesuffix('.data()')}.size() * sizeof(*{field})"
            self.after.append(f"    std::memcpy({name}, (void *){field}, {size});")

    def _scalar(self, field: str, name: str) -> None:
        """A number, also where the field is constant."""
        if self.c:
            self.lines.append(f"    {{ __typeof__({field}) value = (__typeof__({field})){name};")
            self.lines.append(f"      memcpy((void *)&{field}, &value, sizeof value); }}")
            return
        field_type = f"std::remove_cv_t<std::remove_reference_t<decltype({field})>>"
        self.lines.append(f"    const_cast<{field_type} &>({field}) = ({field_type}){name};")

    def _called(self) -> None:
        returns, types = declarable(self.call.result, self.c), ", ".join(a.type for a in given_by_callers(self.call))
        called = f"(({returns} (*)({types}))target)({', '.join(self.passed)})"
        if returns == "void":
            self.lines.append(f"    {called};")
            return
        self.lines.append(f"    {returns} result = {called};")
        container = self.call.container
        if container is not None:
            self.after += _unpacked(self.function, container, self.names)
        elif self.call.record:
            self.after += returned_objects.taken_apart(self.call, self.names)
        elif self.call.pointer is not None:
            self.after += returned_objects.distance(self.call.pointer, self._base(self.call.pointer))
        else:
            self.after.append("    return result;")

    def _base(self, pointer: ReturnedPointer) -> str:
        """The address of what a flat pointer parameter stands for, in the objects that were put together."""
        param = pointer.base
        if pointer.container:
            return f"&object_{pointer.container}"
        for a in self.call.arguments:
            whole = f"store_{a.name}.object" if self.c and not a.container else f"object_{a.name}"
            for part in (p for p in a.parts if p.param == param):
                if part.kind == "address" and _is_only_named(a):
                    return self.names[param]
                if part.kind == "address":
                    there = f"{self.names[param]} ? " if a.passing == "pointer" or part.through else ""
                    address = f"(void *)&{part.expression.replace('@', whole)}"
                    return f"({there}{address} : 0)" if there else address
                if part.kind in ("array", "data") and a.passing != "plain":
                    return f"(void *){part.expression.replace('@', whole)}"
        return self.names[param] if param else "0"


def _is_only_named(a: Argument) -> bool:
    """Whether nothing of an object but where it lies is known: its class may be declared in another file."""
    return a.passing == "pointer" and bool(a.parts) and all(p.kind == "address" and not p.through for p in a.parts)


def _moved(a: Argument, whole: str) -> str:
    """An object as it is passed: to an rvalue reference by a cast."""
    return f"static_cast<{a.bare} &&>({whole})" if a.type.endswith("&&") else whole


def _storage(a: Argument, c: bool) -> list[str]:
    """Memory for an object, all zeros, that no constructor has made."""
    if c:
        union = f"union {{ {a.bare} object; unsigned char bytes[sizeof({a.bare})]; }}"
        return [f"    {union} store_{a.name};", f"    memset(&store_{a.name}, 0, sizeof store_{a.name});"]
    storage = f"alignas({a.bare}) unsigned char bytes[sizeof({a.bare})];"
    return [
        f"    struct {{ {storage} }} store_{a.name} = {{}};",
        f"    {a.bare} &object_{a.name} = *({a.bare} *)store_{a.name}.bytes;",
    ]


def _tabled(a: Argument, part: Part, field: str, function: Function, names: dict[str, str]) -> list[str]:
    """Pointers to rows for a test, behind a pointer that may be null."""
    rows = f"rows_{a.name}_{names[part.param]}"
    lines = row_tables.scatter(part.param, field, rows, function, names)
    own = next((p for p in a.parts if p.kind == row_tables.ADDRESS and p.expression == part.expression), None)
    if own is not None:
        null = f"void *no = 0; __builtin_memcpy((void *)&{field}, &no, sizeof no);"
        lines.append(f"    if (!{names[own.param]}) {{ {null} }}")
    return ["    {", *lines, "    }"]


def _led_to(a: Argument, whole: str, names: dict[str, str], c: bool) -> list[str]:
    """Memory for the objects that pointers inside an object lead to, and these pointers."""
    addresses = {p.through[-1]: names[p.param] for p in a.parts if p.kind == "address" and p.through}
    lines = []
    for number, path in enumerate(dict.fromkeys(p for part in a.parts for p in part.through)):
        pointer, store = path.replace("@", whole), f"reached_{a.name}_{number}"
        within = [p.replace("@", whole) for part in a.parts if path in part.through for p in part.through]
        outer = within[: within.index(pointer)]
        there = " && ".join([*outer, *([addresses[path]] if path in addresses else [])]) or "1"
        lines.append(f"    __attribute__((__aligned__(16))) unsigned char {store}[{_SOME} * sizeof(*{pointer})];")
        lines.append(f"    __builtin_memset({store}, 0, sizeof {store});")
        led = f"void *led = {store}; __builtin_memcpy((void *)&{pointer}, &led, sizeof led);"
        lines.append(f"    if ({there}) {{ {led} }}")
    return lines


def _made_vector(a: Argument, part: Part, names: dict[str, str]) -> str:
    """A vector inside an object gets its elements; nothing but zeros was there, which is an empty vector."""
    field = part.expression.removesuffix(".data()").replace("@", f"object_{a.name}")
    own = f"const_cast<std::remove_cv_t<std::remove_reference_t<decltype({field})>> &>({field})"
    size = names[a.parts[a.parts.index(part) + 1].param]
    data = f"(decltype({own}.data())){names[part.param]}"
    return f"    {own}.assign({data}, {data} + std::max({size}, 0));"


def _packed(a: Argument, names: dict[str, str], after: list[str]) -> list[str]:
    """An argument that is a container, with what lies behind a pointer; what the function makes of it goes back."""
    whole, data = f"object_{a.name}", a.parts[0]
    pointer = names[data.param]
    back = a.passing == "reference" and not a.type.startswith("const ")
    if data.kind == "data" and len(a.parts) == 1:
        if back:
            after.append(f"    std::memcpy({pointer}, {whole}.data(), sizeof({whole}));")
        return [f"    {a.bare} {whole};", f"    std::memcpy({whole}.data(), {pointer}, sizeof({whole}));"]
    if data.kind == "data":
        size = names[a.parts[1].param]
        if back:
            after.append(f"    std::memcpy({pointer}, (void *){whole}.data(), {whole}.size() * sizeof({whole}[0]));")
        each = f"const {a.bare}::value_type *"
        return [f"    {a.bare} {whole}(({each}){pointer}, ({each}){pointer} + std::max({size}, 0));"]
    rows, columns = (names[p.param] for p in a.parts[1:])
    element = f"std::remove_cv_t<{data.expression}>"
    if back:
        after.append(f"    for (int y = 0; y < {rows}; y++)")
        place = f"({element} *){pointer} + (long)y * {columns}"
        after.append(f"        std::copy({whole}[y].begin(), {whole}[y].end(), {place});")
    return [
        f"    {a.bare} {whole};",
        f"    for (int y = 0; y < {rows}; y++)",
        f"        {whole}.emplace_back(({element} *){pointer} + (long)y * {columns}, "
        f"({element} *){pointer} + (y + 1l) * {columns});",
    ]


def _unpacked(function: Function, container: Container, names: dict[str, str]) -> list[str]:
    """The elements of the result behind its pointer.  Ends the process where its size is not what the summary says."""
    sizes = extents(function, container, names)
    pointer = f"({container.element} *){names[container.param]}"
    lines = [f"    if ((int64_t)result.size() != {sizes[0]}) std::abort();"]
    if len(sizes) == 1:
        return [*lines, f"    std::copy(result.begin(), result.end(), {pointer});"]
    return [
        *lines,
        "    for (size_t y = 0; y < result.size(); y++) {",
        f"        if ((int64_t)result[y].size() != {sizes[1]}) std::abort();",
        f"        std::copy(result[y].begin(), result[y].end(), {pointer} + y * ({sizes[1]}));",
        "    }",
    ]


def _referred(a: Argument, name: str) -> str:
    return f"({a.type})*(std::remove_reference_t<{a.type}> *){name}"
