"""Loops that run on a device: what nests are legal, kernels made of them, and the host code around."""
