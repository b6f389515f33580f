"""How a source file is compiled, and the text that its compiler makes of it.

What clang parses is the preprocessed text of the program's own compiler under the program's own flags, wherever there
is one: macros, headers, pragmas and predefined names are then the truth."""
