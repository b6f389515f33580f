"""A batch's outcome for people, for programs and for editors."""
