"""Rewritings of loops and of effects, which symbolic execution applies."""
