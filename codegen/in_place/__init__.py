"""Outputs that overwrite what is still to be read."""
