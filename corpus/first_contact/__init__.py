"""What the lifter makes of a library that it has never met."""
