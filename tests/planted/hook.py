"""Importing a module with a fault in it."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from types import CodeType, ModuleType

from tests.planted.mutate import ROOT, Fault


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, fault: Fault, path: str) -> None:
        super().__init__(fault.module, path)
        self.fault = fault

    def get_code(self, fullname: str) -> CodeType:
        text = self.fault.applied(self.get_data(self.path))
        return compile(text, self.path, "exec", dont_inherit=True)


class _Finder(MetaPathFinder):
    def __init__(self, fault: Fault) -> None:
        self.fault = fault

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.fault.module:
            return None
        file = ROOT / self.fault.file
        where = [str(file.parent)] if file.name == "__init__.py" else None
        loader = _Loader(self.fault, str(file))
        return importlib.util.spec_from_file_location(fullname, file, loader=loader, submodule_search_locations=where)


def plant(fault: Fault) -> None:
    """From now on the fault's module, which is not loaded yet, is imported with it."""
    assert fault.module not in sys.modules, f"{fault.module} is loaded already"
    sys.meta_path.insert(0, _Finder(fault))
