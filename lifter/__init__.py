"""Legacy image-processing code, lifted to verified Halide: `lifter.api` is what programs use."""

from importlib import metadata

__version__ = metadata.version("lifter")
