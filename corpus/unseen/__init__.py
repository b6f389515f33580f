"""How halide_core does on pipelines and schedules that nothing was tuned to: random ones of every usual kind, under
schedules as an expert would write them, against the package `halide`."""
