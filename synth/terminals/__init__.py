"""Stage two: terminals in the dimensions of the region."""
