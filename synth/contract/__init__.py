"""What a contract says, and what a proof does without."""
