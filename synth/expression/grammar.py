"""User grammars for the expression search (paper, section 5.3.2), written in TOML.

    operators = ["+", "-", "*", "min", "max", "/", ">>", "&", "abs", "select"]
    constants = [3, 255]
    terminals = 4          # reads and parameters at the most
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from lifter.support.errors import LiftError

OPERATORS = ("+", "-", "*", "min", "max", "/", ">>", "&", "abs", "select")


class GrammarError(LiftError):
    """The file is no grammar; the text says why and what would be one."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """What expressions may be made of."""

    operators: frozenset[str] = frozenset(OPERATORS)
    constants: tuple[int, ...] = ()
    terminals: int = 16


def read_grammar(path: str) -> Grammar:
    """The grammar in a file.  Raises GrammarError."""
    try:
        data = tomllib.loads(Path(path).read_text())
    except OSError as problem:
        raise GrammarError(f"cannot read the grammar '{path}': {problem.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise GrammarError(f"{path}: not TOML: {problem}") from None
    unknown = sorted(set(data) - {"operators", "constants", "terminals"})
    if unknown:
        raise GrammarError(f"{path}: unknown key '{unknown[0]}'; the keys are operators, constants and terminals")
    operators = data.get("operators", list(OPERATORS))
    constants = data.get("constants", [])
    terminals = data.get("terminals", 16)
    wrong = [o for o in operators if o not in OPERATORS]
    if wrong:
        raise GrammarError(f"{path}: unknown operator '{wrong[0]}'; the operators are {' '.join(OPERATORS)}")
    if not all(isinstance(c, int) for c in constants) or not isinstance(terminals, int):
        raise GrammarError(f"{path}: constants must be a list of integers, terminals an integer")
    return Grammar(frozenset(operators), tuple(constants), terminals)
