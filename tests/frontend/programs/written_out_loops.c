/* Loops of few iterations with other pointers each time; the counter is used behind them, and through a pointer. */

int counter_behind(const unsigned char* const p[3], unsigned char* d, int n)
{
    int i;
    for (i = 0; i < 3; i++)
        for (int x = 0; x < n; x++) d[3 * x + i] = p[i][x];
    return i;
}

void counter_through_a_pointer(const unsigned char* const p[3], unsigned char* d, int n)
{
    int i, *q = &i;
    for (i = 0; i < 3; i++)
        for (int x = 0; x < n; x++) d[3 * x + i] = p[i][x] + *q;
}

void counter_changed_through_a_pointer(const unsigned char* const p[3], unsigned char* d, int n)
{
    int i, *q = &i;
    for (i = 0; i < 3; i++) {
        for (int x = 0; x < n; x++) d[3 * x + i] = p[i][x];
        (*q)++;
    }
}

int no_pass(const unsigned char* s, unsigned char* d, int n)
{
    const unsigned char* in = s;
    unsigned char t[64];
    int pass;
    for (pass = 3; pass < 3; pass++) {
        for (int x = 0; x < n && x < 64; x++) t[x] = in[x];
        in = t;
    }
    for (int x = 0; x < n; x++) d[x] = in[x] + pass;
    return pass;
}

void three_passes(const unsigned char* s, unsigned char* d)
{
    unsigned char a[32], b[32];
    const unsigned char* in = s;
    unsigned char* out = a;
    int pass;
    for (pass = 0; pass < 3; ++pass) {
        for (int x = 0; x < 32; x++) out[x] = in[x] + in[31 - x] + pass;
        in = out;
        out = pass == 0 ? b : d;
    }
}

/* The loop over the rows is met again, since the one around it changes what a pointer points into. */
void rows_in_a_loop(const unsigned char* s, const unsigned char* t, unsigned char* d, int n, int h)
{
    const unsigned char* last = 0;
    for (int y = 1; y < h; y++) {
        const unsigned char* rows[2] = {s + (y - 1) * n, t + y * n};
        for (int k = 0; k < 2; k++)
            for (int x = 0; x < n; x++) d[2 * (y * n + x) + k] = rows[k][x] >> 1;
        last = rows[1];
    }
    (void)last;
}
