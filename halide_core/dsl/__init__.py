"""The language that users write: Halide's names."""
