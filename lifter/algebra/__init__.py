"""Integers in closed form: polynomials, intervals, and the forms in which arithmetic is kept."""
