"""What a function's digest covers: everything that a change elsewhere could change its meaning by, and little more."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifter.frontend import parse_file

C, CPP = (Path(__file__).with_name(n).read_text() for n in ("dependence.c", "dependence.cpp"))


@pytest.fixture
def digests(tmp_path):
    """digests("a.c", text) -> the digest of each function by its name."""

    def of(name: str, text: str) -> dict[str, str]:
        path = tmp_path / name
        path.write_text(text)
        found = parse_file(str(path), dependence=True)
        return {d.signature: d.dependence for d in found.definitions}

    return of


def _changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    return {n.partition("(")[0] for n in before.keys() & after.keys() if before[n] != after[n]}


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("2 * x", "3 * x", {"alone"}),
        ("x + 2", "x + 3", {"unused"}),
        ("x + 1; }\nint unused", "x + 9; }\nint unused", {"helper", "calls", "deep"}),
        ("table[0] = 1", "table[0] = 2", {"writes", "reads"}),
        ("int alone", "\n\n\nint new_one(int x) { return x; }\nint alone", set()),
        ("{ return 2 * x", "{\n return 2 * x", {"alone"}),  # its lines are told
        ("static int table[4]", "static int table[8]", "all"),
        ("struct image;", "struct image { int w; };", "all"),
        ("int alone", "int (*pointer)(int) = unused;\nint alone", "all"),
    ],
)
def test_c(digests, old, new, changed):
    assert C.count(old) == 1
    before, after = digests("a.c", C), digests("a.c", C.replace(old, new))
    assert all(before.values())
    everything = {n.partition("(")[0] for n in before}
    assert _changed(before, after) == (everything if changed == "all" else changed)


@pytest.mark.parametrize(
    "made",
    [
        'int renamed(int x) __attribute__((alias("unused")));\n',
        "int unused(int x);\nstatic int (*const operations[])(int) = {unused};\n",
        "#define CALL(f) f(1)\nstatic inline int twice(int x) { return CALL(unused); }\n"
        "int alone(int x);\nint (*const keep)(int) = twice;\n",
    ],
)
def test_a_function_named_outside_of_functions_counts_for_all(digests, made):
    before = digests("a.c", made + C)
    after = digests("a.c", (made + C).replace("x + 2", "x + 3"))
    assert _changed(before, after) >= {"alone", "calls", "unused"}


@pytest.mark.parametrize(
    "text",
    [
        C.replace("void writes(void)", "__attribute__((constructor)) void writes(void)"),
        C.replace("struct image;", "void writes(void) __attribute__((constructor));"),
        C.replace("struct image;", "int \\u00e9(int);"),
    ],
)
def test_where_names_do_not_tell_nothing_is_known(digests, text):
    assert not any(digests("a.c", text).values())


@pytest.mark.parametrize(
    "body",
    ['#pragma GCC ivdep\n', 'asm("");', '_Pragma("GCC ivdep")'],
)
def test_functions_with_pragmas_and_assembly_count_for_all(digests, body):
    text = C.replace("return x + 2;", f"\n{body} for (int i = 0; i < 3; i++) x++; return x;")
    before, after = digests("a.c", text), digests("a.c", text.replace("i < 3", "i < 4"))
    assert "alone" in _changed(before, after)


@pytest.mark.parametrize(
    ("old", "new", "least"),
    [
        ("r.a + 4", "r.a + 3", {"sum"}),
        ("{ return x; }", "{ return x + 4; }", {"converted"}),
        ("{ return v; }", "{ return v + 4; }", {"converted"}),
        ("{ return x + 1; }", "{ return x + 4; }", {"instance"}),
        ("return x + other(x)", "return x * other(x)", {"instance"}),
    ],
)
def test_what_is_called_without_a_name(digests, old, new, least):
    assert CPP.count(old) == 1
    before, after = digests("a.cpp", CPP), digests("a.cpp", CPP.replace(old, new))
    assert _changed(before, after) >= least


def test_functions_of_one_name_are_not_kept_one_by_one(digests):
    found = digests("a.cpp", CPP + "int over_2(int x) { return 3; }\n")
    assert {n for n, d in found.items() if not d} == {"over(int)", "over(float)", "over_2(int)"}
    assert _changed(found, digests("a.cpp", CPP.replace("x * 5", "x * 6"))) == {"alone"}
