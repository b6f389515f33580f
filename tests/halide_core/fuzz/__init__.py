"""Random pipelines under random schedules, as scripts for either module."""
