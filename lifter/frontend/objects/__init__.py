"""What C++'s objects are in the loop language: pointers, records, registers, containers, parameters."""
