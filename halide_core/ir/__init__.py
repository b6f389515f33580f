"""The typed expression and statement IR."""
