/* Loops whose ends are no searches for a place. */

int a_sum(const unsigned char* s, int n) {
    int i, t = 0;
    for (i = 0; i < n; i++) {
        t += s[i];
        if (s[i] == 2) break;
    }
    return t;
}

int no_end(const unsigned char* s, int n) {
    int i = 0;
    while (s[i] != 2) i++;
    return i;
}

int what_is_set_is_asked(const unsigned char* s, int n) {
    int v = 0;
    for (int i = 0; i < n; i++)
        if (s[i] + v == 2) {
            v = 1;
            break;
        }
    return v;
}

int set_in_one_of_two(const unsigned char* s, int n) {
    int v = 9, i;
    for (i = 0; i < n; i++) {
        if (s[i] == 1) break;
        if (s[i] == 2) {
            v = 3;
            break;
        }
    }
    return v + i;
}

int other_values(const unsigned char* s, int n) {
    for (int i = 0; i < n; i++) {
        if (s[i] == 2) return i;
        if (s[i] == 1) return -i;
    }
    return 99;
}

int a_step_by_data(const unsigned char* s, int n) {
    int i = 0;
    while (i < n && s[i] == 0) i += 1 + s[i];
    return i;
}

int two_counters(const unsigned char* s, int n) {
    int i = 0, j = 0;
    while (i < n && s[i] == 0) {
        i++;
        j += 2;
    }
    return i + j;
}

int a_text(const unsigned char* s, int n) {
    const char* t = (const char*)s;
    int i = 0;
    while (i < n && t[i]) i++;
    return i;
}
