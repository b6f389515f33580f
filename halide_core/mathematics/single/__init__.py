"""Functions of float32."""

from halide_core.mathematics.single import exponentials, hyperbolic, inverses, trigonometry

__all__ = ["exponentials", "hyperbolic", "inverses", "trigonometry"]
