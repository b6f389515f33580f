unsigned UDIV255(unsigned x) { return x / 255; }
int HashFunction(int row, int col) { return ((unsigned)row * 31u + (unsigned)col * 17u) & 255; }
