#include <stdlib.h>
typedef struct { int w, h; unsigned char *data; } Image;
Image *inverted(const unsigned char *, int, int);
int main(void) {
    unsigned char s[12];
    for (int i = 0; i < 12; i++) s[i] = i * 9;
    Image *im = inverted(s, 4, 3);
    for (int i = 0; i < 12; i++)
        if (im->data[i] != (unsigned char)(258 - s[i])) return 1;
    return 0;
}
