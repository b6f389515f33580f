"""Pointers, references and structures that functions return: the C++ that makes them of what the lifted function
returns or leaves in memory, for adapters, and the opposite, for packers."""

from __future__ import annotations

from collections.abc import Mapping

from lifter.ir.loop_ir import Interface, ReturnedPointer

_NULL = "INT64_MIN"
"""`loop_ir.NULL_RESULT`."""


def memory(call: Interface, given: Mapping[str, str], c: bool) -> list[str]:
    """An object for the structure that is returned, and memory for each of its fields, which may lie anywhere in it."""
    if not call.record:
        return []
    if c:
        lines = [f"    {call.result} result;", "    __builtin_memset(&result, 0, sizeof result);"]
    else:
        storage = f"struct {{ alignas({call.result}) unsigned char bytes[sizeof({call.result})]; }}"
        lines = [
            f"    {storage} whole = {{}};",
            f"    {call.result} &result = *({call.result} *)whole.bytes;",
        ]
    for part in call.record:
        own, store = given[part.param], f"store_{given[part.param]}"
        size = f"sizeof({part.expression.replace('@', 'result')})"
        lines.append(f"    __attribute__((__aligned__(16))) unsigned char {store}[{size}];")
        lines.append(f"    void *{own} = {store};")
    return lines


def put_together(call: Interface, given: Mapping[str, str], c: bool) -> list[str]:
    """`result`, of the `distance` that the lifted function has returned or of the fields in memory."""
    if call.pointer is not None:
        return [_from_distance(call.pointer, call.result, given, c)]
    out = []
    for part in call.record:
        field, own = part.expression.replace("@", "result"), given[part.param]
        out.append(f"    __builtin_memcpy((void *)&{field}, {own}, sizeof({field}));")
    return out


def _from_distance(pointer: ReturnedPointer, result: str, given: Mapping[str, str], c: bool) -> str:
    if pointer.container:
        return f"    {result} result = lift_{pointer.container};"
    base = f"(char *){given[pointer.base]}" if pointer.base else "(char *)0"
    if pointer.reference:
        return f"    {result} result = *(std::remove_reference_t<{result}> *)({base} + distance);"
    type_ = f"__typeof__({result})" if c else f"lift_same<{result}>"
    return f"    {type_} result = distance == {_NULL} ? ({type_})0 : ({type_})({base} + distance);"


def taken_apart(call: Interface, names: Mapping[str, str]) -> list[str]:
    """The fields of `result` in their memory."""
    out = []
    for part in call.record:
        field = part.expression.replace("@", "result")
        out.append(f"    __builtin_memcpy({names[part.param]}, (const void *)&{field}, sizeof({field}));")
    return out


def distance(pointer: ReturnedPointer, base: str) -> list[str]:
    """The number that says where `result` leads."""
    if not pointer.base:
        return [f"    return result ? 0 : {_NULL};"]
    lines = [f"    const char *lift_base = (const char *){base};"]
    if pointer.reference:
        return [*lines, "    return (const char *)__builtin_addressof(result) - lift_base;"]
    return [*lines, f"    return result || !lift_base ? (const char *)result - lift_base : {_NULL};"]
