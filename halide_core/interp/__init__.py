"""The reference interpreter, over NumPy."""
