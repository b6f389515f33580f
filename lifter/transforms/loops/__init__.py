"""Rewritings of the loop language, before anything is executed."""
