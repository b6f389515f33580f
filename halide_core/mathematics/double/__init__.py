"""Functions of float64, of float64 alone: what one number has no room for lies in two (`pairs`)."""

from halide_core.mathematics.double import exponentials, hyperbolic, inverses, logarithms, powers, trigonometry

__all__ = ["exponentials", "hyperbolic", "inverses", "logarithms", "powers", "trigonometry"]
