"""Rewritings of the domains of effects: the loops that a store stands in."""
