"""One expression for all stores of a region."""
