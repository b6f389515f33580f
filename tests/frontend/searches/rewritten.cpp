/* Searches that become reductions. */

int returned(const unsigned char* s, int n) {
    for (int i = 0; i < n; i++)
        if (s[i] == 2) return 1;
    return 0;
}

int two_returns(const unsigned char* s, int n) {
    for (int i = 0; i < n; i++) {
        if (s[i] == 2) return 5;
        if (s[i] == 1) return 5;
    }
    return 0;
}

int one_after_the_other(const unsigned char* s, int n) {
    for (int i = 0; i < n; i++)
        if (s[i] == 2) return 1;
    for (int i = 0; i < n; i++)
        if (s[i] == 1) return 2;
    return 3;
}

int in_two_loops(const unsigned char* s, int n) {
    for (int y = 0; y < n; y++)
        for (int x = y; x < n; x++)
            if (s[x] + s[y] == 3) return 1;
    return 0;
}

int counting_down(const unsigned char* s, int n) {
    while (n-- > 0)
        if (*s++ == 2) return 1;
    return 0;
}

int left_by_break(const unsigned char* s, int n) {
    int ok = 1;
    for (int i = 0; i < n; i++)
        if (s[i] == 2) {
            ok = 0;
            break;
        }
    return ok;
}

int break_in_each_row(const unsigned char* s, int n) {
    int t = 0;
    for (int y = 0; y < n; y++) {
        int ok = 0;
        for (int x = y; x < n; x++)
            if (s[x] == 2) {
                ok = 1;
                break;
            }
        t += ok;
    }
    return t;
}

int break_in_some_row(const unsigned char* s, int n) {
    int ok = 0, t = 0;
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < y; x++)
            if (s[x] == 2) {
                ok = 1;
                break;
            }
        t += ok;
    }
    return t;
}
