"""Pipelines after papers and libraries that are not among those of `corpus/pipelines`, for a first contact of the
compiler and of its autoscheduler with what they were not tuned to.

Definitions and schedules by hand were written before any of them was timed, and are not changed since.  What a file
defines stands in `corpus/pipelines/common.py`."""
