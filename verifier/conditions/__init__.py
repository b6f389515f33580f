"""The verification conditions, by what they are about."""
