"""Equalities of values decided without the solver."""
