/* Searches that stay as they are. */

int a_place(const unsigned char* s, int n) {
    for (int i = 0; i < n; i++)
        if (s[i] == 2) return i;
    return -1;
}

int different_values(const unsigned char* s, int n) {
    for (int i = 0; i < n; i++) {
        if (s[i] == 2) return 1;
        if (s[i] == 1) return 2;
    }
    return 0;
}

int the_counter_is_used(const unsigned char* s, int n) {
    int i;
    for (i = 0; i < n; i++)
        if (s[i] == 2) break;
    return i;
}

int a_sum_goes_on(const unsigned char* s, int n) {
    int t = 0;
    for (int i = 0; i < n; i++) {
        if (s[i] == 2) {
            break;
        }
        t += s[i];
    }
    return t;
}

int the_flag_is_read(const unsigned char* s, int n) {
    int ok = 1;
    for (int i = 0; i < n; i++) {
        if (s[i] == 2) {
            ok = 0;
            break;
        }
        if (ok) n--;
    }
    return ok;
}

int the_flag_is_set_elsewhere(const unsigned char* s, int n) {
    int ok = 1;
    for (int i = 0; i < n; i++) {
        if (s[i] == 2) {
            ok = 0;
            break;
        }
        ok = s[i];
    }
    return ok;
}

int two_breaks(const unsigned char* s, int n) {
    int k = 1;
    for (int i = 0; i < n; i++) {
        if (s[i] == 2) {
            k = 7;
            break;
        }
        if (s[i] == 1) {
            k = 7;
            break;
        }
    }
    return k;
}

int a_search_that_goes_on_where_the_last_one_ended(const unsigned char* s, int n) {
    int j = 0, t = 0;
    for (int y = 0; y < 3; y++) {
        int ok = 0;
        for (; j < n; j++)
            if (s[j] == 2) {
                ok = 1;
                break;
            }
        t += ok;
    }
    return t;
}

int a_sum_that_goes_on_from_the_last_search_s(const unsigned char* s, int n) {
    int u = 0, t = 0;
    for (int y = 0; y < 3; y++) {
        int ok = 0;
        for (int i = 0; i < n; i++) {
            if (u + s[i] > 3) {
                ok = 1;
                break;
            }
            u = u + s[i];
        }
        t += ok;
    }
    return t;
}

int a_value_of_the_loop(const unsigned char* s, int n) {
    int v = 9;
    for (int i = 0; i < n; i++)
        if (s[i] == 2) {
            v = i;
            break;
        }
    return v;
}
