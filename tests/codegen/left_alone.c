/* What libraries do, and lift leaves alone. */
int bad(void);

void an_error_that_data_say(unsigned char* d, const unsigned char* s, int n) {
    if (s[0] == 3) {
        bad();
    }
    for (int i = 0; i < n; i++) d[i] = s[i];
}

void an_error_in_a_loop(unsigned char* d, const unsigned char* s, int n) {
    for (int i = 0; i < n; i++) {
        if (s[i] == 3) bad();
        d[i] = s[i];
    }
}

int nothing_but_an_error(int n) {
    if (n > 3) return bad();
    return 0;
}

static int seen;
void a_variable_of_the_file_that_is_assigned(const unsigned char* s, int n) {
    for (int i = 0; i < n; i++) seen += s[i];
}

struct a {
    union {
        int i[4];
        float f[4];
    };
    int* p;
};
void an_array_in_a_union_that_is_stored_to(struct a* x) {
    for (int i = 0; i < 4; i++) x->i[i] = i;
}

void a_table_of_rows_that_is_stored_to(unsigned char** rows, unsigned char* s, int n) {
    for (int i = 0; i < n; i++) rows[i] = s + i;
}

int a_search_that_stores(unsigned char* s, int n) {
    for (int i = 0; i < n; i++) {
        if (s[i]) return 1;
        s[i] = 1;
    }
    return 0;
}

int a_search_for_the_end_of_a_text(const char* s, int n) {
    for (int i = 0; i < n; i++)
        if (s[i] == 0) return i;
    return -1;
}

void a_value_that_some_paths_leave_out(unsigned char* d, int n, int k) {
    int v;
    if (k) v = 3;
    for (int i = 0; i < n; i++) d[i] = v;
}

void bytes_of_a_word_that_are_not_all_given(unsigned char* d, const unsigned char* s, int n) {
    for (int i = 0; i < n; i++) {
        unsigned short v;
        ((unsigned char*)&v)[1] = s[i];
        d[i] = v >> 4;
    }
}

void a_choice_of_pointers_behind_an_effect(unsigned char* d, const unsigned char* a, const unsigned char* b, int n,
                                           int m) {
    int k = 0;
    const unsigned char* p;
    p = (k = m > 3, k ? a : b);
    for (int i = 0; i < n; i++) d[i] = p[i];
    d[0] = k;
}

void a_choice_of_pointers_behind_another_declaration_s_effect(unsigned char* d, const unsigned char* a,
                                                              const unsigned char* b, int n, int m) {
    int k = m > 3;
    const unsigned char *q = a + (k = 0), *p = k ? a : b;
    for (int i = 0; i < n; i++) d[i] = p[i];
    d[0] = *q;
}

void a_choice_of_pointers_by_what_need_not_be_there(unsigned char* d, const unsigned char* a, const unsigned char* b,
                                                    int n) {
    const unsigned char* p = a;
    if (n > 0) p = a[n - 1] ? a : b;
    for (int i = 0; i < n; i++) d[i] = p[i];
}

void bytes_of_a_float_that_are_not_all_given(float* d, const unsigned char* s, int n) {
    for (int i = 0; i < n; i++) {
        float v;
        for (int k = 1; k < 4; k++) ((unsigned char*)&v)[k] = s[4 * i + k];
        d[i] = v;
    }
}
