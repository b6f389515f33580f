"""The default schedule, rule by rule."""
