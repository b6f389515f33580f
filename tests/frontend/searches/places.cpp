/* Searches whose loops end by their conditions afterwards. */

int returned(const unsigned char* s, int n) {
    for (int i = 0; i < n; i++)
        if (s[i] == 2) return i;
    return -1;
}

int a_value_of_the_place(const unsigned char* s, int n) {
    for (int i = 0; i < n; i++)
        if (s[i] > 1) return 7 * i + s[i];
    return -1;
}

int left_by_break(const unsigned char* s, int n) {
    int i;
    for (i = 0; i < n; i++)
        if (s[i] == 2) break;
    return i;
}

int two_breaks(const unsigned char* s, int n) {
    int i;
    for (i = 0; i < n; i++) {
        if (s[i] == 2) break;
        if (s[i] == 1) break;
    }
    return i;
}

int a_break_of_the_counter(const unsigned char* s, int n) {
    int i;
    for (i = 0; i < n; i++) {
        if (i == 3) break;
        if (s[i] == 1) break;
    }
    return i;
}

int in_the_condition(const unsigned char* s, int n) {
    int i = 0;
    while (i < n && s[i] == 0) i++;
    return i;
}

int the_other_way_round(const unsigned char* s, int n) {
    int i = 0;
    while (s[i] == 0 && i < n) i++;
    return i;
}

int counting_down(const unsigned char* s, int n) {
    int i = n - 1;
    while (i >= 0 && s[i] == 0) i--;
    return i;
}

int every_other_one(const unsigned char* s, int n) {
    int i = 0;
    for (; i < n; i += 2)
        if (s[i] == 1) break;
    return i;
}

int of_several(const unsigned char* s, int n) {
    int i = 0;
    while (i + 1 < n && s[i] <= s[i + 1]) i++;
    return i;
}

int what_is_set(const unsigned char* s, int n) {
    int v = 9, k = 4;
    for (int i = 0; i < n; i++)
        if (s[i] == 2) {
            v = i;
            k = 1;
            break;
        }
    return 10 * v + k;
}

int in_each_row(const unsigned char* s, int n) {
    int t = 0;
    for (int y = 0; y < n; y++) {
        int x = y;
        while (x < n && s[x] == 0) x++;
        t += x * (y + 1);
    }
    return t;
}

int from_where_the_last_one_ended(const unsigned char* s, int n) {
    int j = 0, t = 0;
    for (int y = 0; y < 3; y++) {
        for (; j < n; j++)
            if (s[j] == 2) break;
        t = 5 * t + j;
        j++;
    }
    return t;
}

int none_left(const unsigned char* s, int n) {
    int i = n;
    while (i < n && s[i] == 0) i++;
    return i;
}
