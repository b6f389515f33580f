struct image;
int helper(int x);
int unused(int x);
static int table[4];
int helper(int x) { return x + 1; }
int unused(int x) { return x + 2; }
void writes(void) { table[0] = 1; }
int reads(int i) { return table[i & 3]; }
int calls(int x) { return helper(x); }
int deep(int x) { return calls(x) + 1; }
int alone(int x) { return 2 * x; }
