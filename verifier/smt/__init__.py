"""The wall around the solver: nothing else in the project imports z3."""

from verifier.smt.index import IndexEncoder
from verifier.smt.solver import Answer, Proved, Query, Refuted, Unknown, prove, smaller
from verifier.smt.value import ValueEncoder

__all__ = ["Answer", "IndexEncoder", "Proved", "Query", "Refuted", "Unknown", "ValueEncoder", "prove", "smaller"]
