"""Coordinates of reads held to what the original reads."""
