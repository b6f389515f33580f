"""The descent: declarations, statements and expressions of C++ to the loop language."""
