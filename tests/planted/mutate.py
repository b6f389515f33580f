"""Faults as data: a piece of a module's text and what stands there instead, found by walking its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PLACES = {
    "front end": ("lifter/frontend/*.py", "lifter/frontend/*/*.py"),
    "SIMD meanings": ("lifter/simd/*.py", "lifter/simd/*/*.py"),
    "symbolic execution": (
        "lifter/symexec/*.py", "lifter/transforms/**/*.py", "lifter/algebra/*.py", "lifter/ir/*.py",
    ),
    "code generation": (
        "codegen/*.py", "codegen/*/*.py", "halide_core/lower.py", "halide_core/passes/*.py", "halide_core/backend/*.py",
    ),
}
"""Where faults are planted, by what they are faults of."""
_NOT = {
    # What only prints, or runs the loop language.
    "lifter/algebra/index_printer.py",
    *(f"lifter/ir/{n}.py" for n in ("loop_interpreter", "loop_printer", "loop_to_python")),
    *(f"codegen/{n}.py" for n in (
        "composed", "emit", "errors", "halide_cpp", "halide_python", "notation", "original", "printer", "summary_json",
    )),
}
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "%", ast.Mod: "//", ast.LShift: ">>", ast.RShift: "<<",
    ast.BitAnd: "|", ast.BitOr: "&",
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.In: "not in",
    ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}
_NAMES = {
    "LT": "LE", "LE": "LT", "GT": "GE", "GE": "GT", "EQ": "NE", "NE": "EQ", "Add": "Sub", "Sub": "Add", "Mul": "Add",
    "Min": "Max", "Max": "Min", "And": "Or", "Or": "And", "is_int": "is_uint", "is_uint": "is_int", "Int": "UInt",
    "UInt": "Int", "I8": "U8", "I16": "U16", "I32": "U32", "U8": "I8", "U16": "I16", "U32": "I32", "I64": "I32",
    "min": "max", "max": "min", "any": "all", "all": "any", "true_value": "false_value", "false_value": "true_value",
    "lower": "upper", "then": "otherwise", "otherwise": "then",
}
"""Operators, types and choices by what is easily mistaken for them."""


@dataclass(frozen=True, slots=True)
class Fault:
    """`old` at a place of a file, in the file's text as it is, becomes `new`."""

    area: str
    file: str
    line: int
    start: int
    """Bytes from the start of the file's text."""
    old: str
    new: str
    kind: str

    @property
    def module(self) -> str:
        """The module's name."""
        return self.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    def applied(self, text: bytes) -> bytes:
        """The module's text with the fault."""
        old = self.old.encode()
        assert text[self.start : self.start + len(old)] == old, f"{self.file} has changed at line {self.line}"
        return text[: self.start] + self.new.encode() + text[self.start + len(old) :]


def files() -> Iterator[tuple[str, str]]:
    """(area, file) of every module in which faults are planted."""
    for area, patterns in PLACES.items():
        for pattern in patterns:
            for path in sorted(ROOT.glob(pattern)):
                name = str(path.relative_to(ROOT))
                if name not in _NOT:
                    yield area, name


def faults(area: str, file: str) -> list[Fault]:
    """Every fault that can be planted in a file."""
    text = (ROOT / file).read_bytes()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def place(n: ast.AST) -> tuple[int, int]:
        assert isinstance(n, ast.expr | ast.stmt) and n.end_lineno is not None and n.end_col_offset is not None
        return starts[n.lineno - 1] + n.col_offset, starts[n.end_lineno - 1] + n.end_col_offset

    def piece(n: ast.AST) -> str:
        a, b = place(n)
        return text[a:b].decode()

    def fault(n: ast.AST, start: int, end: int, new: str, kind: str) -> Fault:
        line = text[:start].count(b"\n") + 1
        return Fault(area, file, line, start, text[start:end].decode(), new, kind)

    found = []
    for n in ast.walk(_code(ast.parse(text))):
        for start, end, new, kind in _changes(n, place, piece):
            found.append(fault(n, start, end, new, kind))
    return found


def _code(tree: ast.Module) -> ast.Module:
    """The tree without annotations, docstrings and imports, where nothing is computed."""
    for n in ast.walk(tree):
        for name in ("annotation", "returns"):
            if getattr(n, name, None) is not None:
                setattr(n, name, ast.Constant(value=None, lineno=1, col_offset=0, end_lineno=1, end_col_offset=0))
    tree.body = [n for n in tree.body if not isinstance(n, ast.Import | ast.ImportFrom)]
    return tree


def _changes(n: ast.AST, place: object, piece: object) -> Iterator[tuple[int, int, str, str]]:
    at, text = place, piece
    assert callable(at) and callable(text)
    if isinstance(n, ast.BinOp) and type(n.op) in _OPERATORS:
        yield *_between(n.left, n.right, at), f" {_OPERATORS[type(n.op)]} ", "operator"
    elif isinstance(n, ast.Compare) and len(n.ops) == 1:
        yield *_between(n.left, n.comparators[0], at), f" {_COMPARISONS[type(n.ops[0])]} ", "comparison"
    elif isinstance(n, ast.BoolOp):
        other = " or " if isinstance(n.op, ast.And) else " and "
        yield *_between(n.values[0], n.values[1], at), other, "and, or"
    elif isinstance(n, ast.Constant) and n.end_lineno != 1:
        if isinstance(n.value, bool):
            yield *at(n), str(not n.value), "constant"
        elif isinstance(n.value, int):
            yield *at(n), str(n.value + 1), "constant"
            if n.value > 0:
                yield *at(n), str(n.value - 1), "constant"
    elif isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.Not | ast.USub):
        yield *at(n), f"({text(n.operand)})", "sign, not"
    elif isinstance(n, ast.If | ast.IfExp):
        yield *at(n.test), f"(not ({text(n.test)}))", "condition"
    elif isinstance(n, ast.Name) and n.id in _NAMES:
        yield *at(n), _NAMES[n.id], "name"
    elif isinstance(n, ast.Attribute) and n.attr in _NAMES:
        _, end = at(n)
        yield end - len(n.attr), end, _NAMES[n.attr], "name"
    elif isinstance(n, ast.Expr) and isinstance(n.value, ast.Call):
        yield *at(n), "pass", "statement left out"
    if isinstance(n, ast.Call) and len(n.args) >= 2 and not any(isinstance(a, ast.Starred) for a in n.args):
        a, b = n.args[-2:]
        yield at(a)[0], at(b)[1], f"{text(b)}, {text(a)}", "arguments exchanged"
        if "cast" in ast.unparse(n.func).lower() and len(n.args) == 2:
            yield *at(n), f"({text(b)})", "conversion left out"


def _between(a: ast.expr, b: ast.expr, at: object) -> tuple[int, int]:
    """What stands between two operands, of which neither is in parentheses."""
    assert callable(at)
    return at(a)[1], at(b)[0]


def sound(fault: Fault) -> bool:
    """Whether the module still is Python: operands in parentheses have more than an operator between them."""
    text = (ROOT / fault.file).read_bytes()
    try:
        before, after = ast.parse(text), ast.parse(fault.applied(text))
    except SyntaxError:
        return False
    return ast.dump(before) != ast.dump(after)
