"""One function or file lifted, run beside its original and written, with what came of it as data."""
