"""Every public callable of the package `halide` takes here what it takes there, by the same names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest

import halide_core
from halide_core.dsl.overloads import Form

halide = pytest.importorskip("halide")

GENERATORS = "generators are run by Halide's own build only"
SERIALIZATION = "pipelines cannot be written to files"
MODULES = "a Module holds one pipeline"
PARAMETERS = "an object of Halide's compiler, not of the language"
# What is absent on purpose, with the reason.
ABSENT: dict[str, str] = {
    **dict.fromkeys(
        ("ArgInfo", "ArgInfoDirection", "ArgInfoKind", "Generator", "GeneratorContext", "GeneratorParam"), GENERATORS
    ),
    **dict.fromkeys(("InputBuffer", "InputScalar", "OutputBuffer", "OutputScalar"), GENERATORS),
    **dict.fromkeys(("active_generator_context", "alias"), GENERATORS),
    **dict.fromkeys(("create_callable_from_generator", "generator", "main", "install_dir"), GENERATORS),
    **dict.fromkeys(("deserialize_parameters", "deserialize_pipeline", "serialize_pipeline"), SERIALIZATION),
    **dict.fromkeys(("Parameter", "ImageParam.parameter", "OutputImageParam.parameter", "Param.parameter"), PARAMETERS),
    **dict.fromkeys(("VarOrRVar", "ArgumentEstimates", "Argument.argument_estimates"), PARAMETERS),
    **dict.fromkeys(("Derivative", "propagate_adjoints"), "there is no automatic differentiation"),
    **dict.fromkeys(("Module.append", "Module.buffers", "Module.compile_to_buffer", "Module.submodules"), MODULES),
    **dict.fromkeys(("Module.get_auto_scheduler_results", "Module.set_auto_scheduler_results"), MODULES),
    **dict.fromkeys(("Module.get_metadata_name_map", "Module.remap_metadata_name"), MODULES),
    **dict.fromkeys(("Module.resolve_submodules", "link_modules", "compile_standalone_runtime"), MODULES),
    "load_plugin": "autoschedulers are part of the compiler",
    "user_context_value": "objects take no user context",
    "DeviceAPI.None": "no name that Python's syntax can write",
    "TargetFeature.FeatureEnd": "the number of features, no feature",
}


def forms(documentation: str | None) -> list[Form]:
    """The signatures in the documentation that pybind11 writes; of those without any: none."""
    out: list[Form] = []
    for line in (documentation or "").splitlines():
        found = re.match(r"^(?:\d+\. )?\w+\((.*)\)(?: -> .*)?$", line.strip())
        if found and found.group(1) != "*args, **kwargs":
            out.append(Form(", ".join(_parameters(found.group(1)))))
    return out


def _parameters(text: str) -> Iterator[str]:
    """The names of the parameters in a signature, with ? where there is a default."""
    depth, part = 0, ""
    text = re.sub(r"<[^<>]*>|'[^']*'", "_", text.replace("->", ""))
    for c in text + ",":
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            name = re.split("[:=]", part)[0].strip()
            if name and name != "self":
                yield name + ("?" if "=" in part else "")
            part = ""
        else:
            part += c


def callables(module: Any) -> Iterator[tuple[str, Any]]:
    """The public functions, classes and their methods, by name."""
    for name in sorted(vars(module)):
        found = getattr(module, name)
        if name.startswith("_") or (inspect.ismodule(found) and name != "BoundaryConditions"):
            continue
        yield name, found
        if isinstance(found, type) or inspect.ismodule(found):
            for member in sorted(n for n in dir(found) if not n.startswith("_")):
                yield f"{name}.{member}", getattr(found, member)


def named(name: str) -> Any:
    """What is called `name` in halide_core; None where there is none."""
    found: Any = halide_core
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def reason(name: str) -> str:
    """Why `name` is absent; the empty string where it is not."""
    return ABSENT.get(name) or ABSENT.get(name.split(".")[0], "")


def accepts(found: Any, form: Form) -> bool:
    """Whether a call by the names of the package's form is understood; parameters called arg0, ... have no name."""
    starred = any(n.startswith("*") for n in form.names)
    unnamed = [n for n in form.names if starred or re.fullmatch(r"arg\d+", n)]
    keywords = {n: None for n in form.names if n not in unnamed}
    own = getattr(found, "forms", None) or getattr(getattr(found, "__init__", None), "forms", None)
    if own is not None:
        plain = not keywords or any(f.arguments((None,) * len(unnamed), keywords) is not None for f in own)
        return bool(plain)
    # Three stand for any number.
    parameters = [None] * sum(3 if n.startswith("*") else 1 for n in unnamed)
    if inspect.isdatadescriptor(found):  # a number that can be called
        return not form.names
    try:
        signature = inspect.signature(found)
        receiver = next(iter(signature.parameters), "") == "self"
        signature.bind(*([None] if receiver else []), *parameters, **keywords)
    except TypeError:
        return False
    return True


EXPECTED = [(name, found) for name, found in callables(halide) if not reason(name)]


@pytest.mark.parametrize("name", [name for name, _ in EXPECTED])
def test_is_there_by_its_names(name: str) -> None:
    theirs, ours = dict(EXPECTED)[name], named(name)
    if ours is None and "." in name:
        # Values of enumerations, and what every instance has.
        owner = named(name.split(".")[0])
        fields = {*getattr(owner, "__annotations__", ()), *getattr(owner, "attributes", ()), "name", "value"}
        assert name.split(".")[1] in fields
        return
    assert ours is not None
    documentation = theirs.__init__.__doc__ if isinstance(theirs, type) else getattr(theirs, "__doc__", "")
    is_error = isinstance(theirs, type) and issubclass(theirs, Exception)
    if not callable(theirs) or hasattr(theirs, "__members__") or is_error:
        return
    missed = [str(f) for f in forms(documentation) if not accepts(ours, f)]
    assert not missed


def test_nothing_absent_is_there() -> None:
    present = [name for name in ABSENT if named(name) is not None]
    assert not present


def test_the_package_has_what_is_absent() -> None:
    names = {name for name, _ in callables(halide)} | {"DeviceAPI.None"}
    assert not [name for name in ABSENT if name not in names]
