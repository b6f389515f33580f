"""Faults planted in the front end, the rewritings and code generation: what is caught before anything is verified."""
