"""Rewritings of stores: joined, forwarded, left out, split by their conditions."""
