"""Names that say what a variable or a read is are made and taken apart in one module only."""

from __future__ import annotations

import re
from pathlib import Path

from halide_core.ir.expr import I32, Load, Variable
from lifter.ir import names

ROOT = Path(__file__).parent.parent.parent
SPELLED = re.compile(
    r"""split\(["']@|partition\(["']@|["']@["'] in |\}@\{"""
    r"""|startswith\(\(?["'](k\.|addr\.|\?)|f["'](k|addr)\.\{|\+ ["']\?|["']\?["'] \+"""
)


def test_names_are_spelled_in_one_module() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for package in ("lifter/symexec", "lifter/transforms", "lifter/ir", "synth", "verifier", "codegen")
        for path in (ROOT / package).rglob("*.py")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if SPELLED.search(line) and path.name != "names.py"
    ]
    assert not found


def test_reads() -> None:
    read = Load(I32, names.timed("a@b", 3), Variable(I32, "k.1"))
    assert names.is_read(read) and names.array_of(read) == "a@b" and names.time_of(read) == 3
    table = Load(I32, "table", Variable(I32, "k.1"))
    assert not names.is_read(table) and names.array_of(table) == ""


def test_counters_and_unknown_values() -> None:
    assert names.is_counter(names.counter_name(7)) and not names.is_counter("key")
    fresh = names.new_counters({"k.1", "k.3"})
    assert [next(fresh), next(fresh)] == ["k.2", "k.4"]
    assert names.any_counter(["n", "k.2"]) and not names.any_counter(["n"])
    head = names.head_name("x", "k.2")
    assert names.is_head(head) and names.loop_of(head) == "k.2" and names.loop_of("k.5") == "k.5"
    assert names.is_undefined(names.undefined_name("x")) and names.is_undefined(names.undefined_after_name("x"))
    assert names.pointer_of(names.address_name("p")) == "p" and names.is_address(names.address_name("p"))
