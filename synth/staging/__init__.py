"""Which stores make up a Func."""
