"""The bundled Halide: DSL, IR, lowering, back ends and run time."""
