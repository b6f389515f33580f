"""What schedulers ask of a pipeline and of the machine."""
