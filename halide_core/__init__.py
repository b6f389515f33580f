"""The bundled Halide: DSL, IR, lowering, back ends and run time."""

from halide_core import ir as ir
