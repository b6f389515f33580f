"""What every layer may use and that knows nothing of programs: errors, files, limits, the terminal."""
