"""Pipelines that the papers on Halide and on its schedulers measure, written for either module (`halide_core` or the
package `halide`), each with a schedule by hand.  See `common.py` for what a file of this folder defines."""
