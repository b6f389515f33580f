"""Several stores alike as one store in a loop."""
