"""Small concrete instances of a path, on which candidates are tried."""
