"""Stage one: regions of interest and their coordinates."""
