"""Reuse2019: schedules by reuse analysis (Sioutas et al., Schedule Synthesis for Halide Pipelines through Reuse
Analysis, TACO 2019).  docs/autoscheduling.md says where it leaves the paper."""
