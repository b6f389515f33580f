"""Soundness of the whole: random C++ functions lifted, and run against what the system's compiler makes of them."""
