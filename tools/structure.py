"""The structure of the project: what each package has, which of its parts import which, what is in a circle.

    python -m tools.structure

The layers are those of `pyproject.toml`. The exit status is 1 where an import points upwards, where a module stands in
no layer, where more files or folders import each other in a circle than `CIRCLES` and `FOLDERS` allow, or where a
function is longer than `LONGEST` allows. Imports that are for annotations only (`if TYPE_CHECKING`) make no circle, but
they may not point upwards either."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import grimp

ROOT = Path(__file__).parent.parent
CIRCLES = {
    "halide_core": 28,
    "halide_core.ir": 4,
}
"""How many files may stand in circles, by the smallest package around each circle."""
FOLDERS = {
    "halide_core": 17,
}
"""The same of folders; modules that lie in none stand for themselves."""
LONGEST = {"lifter.frontend": 60}
"""How many lines a function may have, by package."""

Graph = Mapping[str, Iterable[str]]


def room(module: str) -> str:
    """The part of a package that a module belongs to: the folder that it lies in."""
    path = ROOT.joinpath(*module.split("."))
    return module if path.is_dir() else module.rpartition(".")[0]


def circles(graph: Graph) -> list[list[str]]:
    """The sets of nodes that reach each other, by Tarjan's algorithm without recursion."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    path: list[str] = []
    open_: set[str] = set()
    found = []
    for start in graph:
        work = [] if start in number else [(start, iter(graph[start]))]
        while work:
            node, rest = work[-1]
            if node not in number:
                number[node] = lowest[node] = len(number)
                path.append(node)
                open_.add(node)
            for other in rest:
                if other not in number:
                    work.append((other, iter(graph.get(other, ()))))
                    break
                if other in open_:
                    lowest[node] = min(lowest[node], number[other])
            else:
                work.pop()
                if work:
                    lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[node])
                if lowest[node] == number[node]:
                    at = path.index(node)
                    circle, path[at:] = path[at:], []
                    open_.difference_update(circle)
                    if len(circle) > 1:
                        found.append(sorted(circle))
    return found


def common(modules: list[str]) -> str:
    """The smallest package that holds all of several modules."""
    first, last = min(modules).split("."), max(modules).split(".")
    same = [a for k, a in enumerate(first) if first[: k + 1] == last[: k + 1]]
    return ".".join(same)


def layers(config: Mapping[str, object]) -> list[list[list[str]]]:
    """Of each contract on layers, the layers from above, each with the modules that stand side by side in it."""
    contracts = config["contracts"]
    assert isinstance(contracts, list)
    found = [c["layers"] for c in contracts if c["type"] == "layers"]
    return [[[m.strip() for m in str(layer).replace(":", "|").split("|")] for layer in each] for each in found]


def layer_of(module: str, order: list[list[str]]) -> int | None:
    """The number of a module's layer, from above."""
    inside = (k for k, names in enumerate(order) if any(module == n or module.startswith(n + ".") for n in names))
    return next(inside, None)


def print_parts(graph: Graph) -> None:
    """Of each folder, how many modules it has, and how many imports lead to which other folder."""
    count = Counter(room(m) for m in graph)
    to: dict[str, Counter[str]] = {r: Counter() for r in count}
    for m, others in graph.items():
        to[room(m)].update(room(o) for o in others if room(o) != room(m))
    package = ""
    for name in sorted(count):
        if name.partition(".")[0] != package:
            package = name.partition(".")[0]
            total = sum(n for r, n in count.items() if r.partition(".")[0] == package)
            print(f"\n{package}: {total} modules")
        print(f"  {name}: {count[name]}")
        if to[name]:
            print(f"    -> {', '.join(f'{r} {n}' for r, n in sorted(to[name].items()))}")


def folder(module: str) -> str:
    """The folder that a module lies in; the module itself where that is the whole package."""
    found = room(module)
    return found if "." in found else module


def print_circles(graph: Graph, allowed: Mapping[str, int]) -> int:
    """Prints the circles of a graph; the number of packages in which more stands in circles than is allowed."""
    around: dict[str, list[list[str]]] = {}
    for circle in circles(graph):
        around.setdefault(common(circle), []).append(circle)
    faults = 0
    for package in sorted({*around, *allowed}):
        found, most = around.get(package, []), allowed.get(package, 0)
        total = sum(len(circle) for circle in found)
        print(f"  {package}: {total} of at most {most}")
        for circle in found:
            print(f"    {len(circle)}: {', '.join(m.removeprefix(package + '.') for m in circle)}")
        faults += total > most
    return faults


def print_long_functions(package: str, most: int) -> int:
    """Prints the functions of a package that have more lines than that; how many there are."""
    faults = 0
    for file in sorted(ROOT.joinpath(*package.split(".")).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= most:
                print(f"  {file.relative_to(ROOT)}:{node.lineno}: {node.name}")
                faults += 1
    return faults


def main() -> int:
    """Prints all of it; what is wrong is counted."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    packages = config["root_packages"]

    def graph(annotations: bool) -> dict[str, list[str]]:
        found = grimp.build_graph(*packages, cache_dir=None, exclude_type_checking_imports=not annotations)
        return {m: sorted(found.find_modules_directly_imported_by(m)) for m in sorted(found.modules)}

    every, running = graph(annotations=True), graph(annotations=False)
    print_parts(every)
    faults = 0

    print("\nimports that point upwards")
    orders = layers(config)
    for order in orders:
        for m, others in every.items():
            mine = layer_of(m, order)
            for o in others:
                its = layer_of(o, order)
                if mine is not None and its is not None and its < mine:
                    print(f"  {m} -> {o}")
                    faults += 1
    for m in every:
        if layer_of(m, orders[0]) is None and m not in packages:
            print(f"  {m} stands in no layer")
            faults += 1
    print(f"  {faults}")

    print("\nfiles that import each other in a circle, by the package around them")
    faults += print_circles(running, CIRCLES)
    print("\nfolders that do")
    folders: dict[str, set[str]] = {}
    for m, others in running.items():
        folders.setdefault(folder(m), set()).update(folder(o) for o in others)
    faults += print_circles(folders, FOLDERS)

    for package, most in LONGEST.items():
        print(f"\nfunctions of {package} with more than {most} lines")
        found = print_long_functions(package, most)
        print(f"  {found}")
        faults += found
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
