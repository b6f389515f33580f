"""Legacy C++ kernels that the project tests and times itself on."""
