"""Genetic2013: stochastic search over schedules, each of them compiled, checked and timed (Ragan-Kelley et al., Halide:
A Language and Compiler for Optimizing Parallelism, Locality, and Recomputation, PLDI 2013, section 5)."""
