"""The typed expression and statement IR."""

from halide_core.ir import operators as operators
from halide_core.ir import printer as printer
