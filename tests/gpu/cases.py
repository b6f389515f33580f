"""All pipelines with schedules for a device, by name."""

from __future__ import annotations

from tests.gpu import further_cases, plain_cases
from tests.gpu.registry import CASES, Case, data_of

__all__ = ["CASES", "Case", "data_of", "further_cases", "plain_cases"]
