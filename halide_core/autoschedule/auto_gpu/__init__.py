"""AutoGPU: schedules for CUDA devices by a model, after Sioutas et al. (TACO 2020) and beyond; see
docs/autoscheduling.md."""
