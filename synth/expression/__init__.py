"""Stage three: the search for expressions, and for cheaper ones."""
