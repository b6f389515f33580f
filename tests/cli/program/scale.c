#include "gain.h"
int scale(int a) { return a * GAIN; }
int any(int n, ...) { return n; }
