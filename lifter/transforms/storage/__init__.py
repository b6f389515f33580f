"""Rewritings of local storage: cells and arrays that carry values, are split, joined or copied."""
