"""Benchmarks: what they measure, and the processes they measure in."""
