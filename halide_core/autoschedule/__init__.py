"""Schedules found without the user."""
