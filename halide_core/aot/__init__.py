"""Objects and archives made ahead of time."""
