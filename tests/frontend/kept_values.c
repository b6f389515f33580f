/* Variables of the file that are not const: which hold what they are initialised to, and which are read at each call. */
#include <stdint.h>
#include <string.h>

static int steps[4] = {0, 3, 3, 2};
static int gain = 3;
static int table[2][2] = {{1, 2}, {3, 4}};
static int assigned[4] = {1, 2, 3, 4};
static int handed_out[4] = {1, 2, 3, 4};
static int addressed = 4;
static int by_assembly[2] = {5, 6};
static int copied_to[2] = {5, 6};
static int counted = 7;
static int patched[2] __attribute__((used)) = {5, 6};
int open_to_all[2] = {1, 2};

void assign(int k) { assigned[k] = 1; }
int *hand_out(void) { return handed_out; }
int *address(void) { return &addressed; }
void assembly(void) { __asm__ volatile("" : "+m"(by_assembly[0])); }
void copy_to(const int *from) { memcpy(copied_to, from, sizeof(copied_to)); }
void count(void) { counted++; }

#define ADDING(name, what) \
    void name(uint8_t *d, const uint8_t *s, int n) { \
        for (int i = 0; i < n; i++) d[i] = s[i] + (what); \
    }
ADDING(add_kept, steps[1] + gain + table[1][0] + (int)(sizeof(steps) / sizeof(steps[0])))
ADDING(add_assigned, assigned[1])
ADDING(add_handed_out, handed_out[1])
ADDING(add_addressed, addressed)
ADDING(add_by_assembly, by_assembly[1])
ADDING(add_copied_to, copied_to[1])
ADDING(add_counted, counted)
ADDING(add_patched, patched[1])
ADDING(add_open_to_all, open_to_all[1])

void add_of_function(uint8_t *d, const uint8_t *s, int n) {
    static int own[2] = {7, 8};
    for (int i = 0; i < n; i++) d[i] = s[i] + own[1];
}
int counting(int by) {
    static int calls = 3;
    calls += by;
    return calls;
}
