#include <stdio.h>
void invert(image *); void fill(image, range, int); void plain(uint8_t *, int);
int main(void) {
    uint8_t d[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    image im = {d, 3, 2, 5}, none = {d, 3, -2, 5}, odd = {d, 4, 2, 3};
    range r = {1, 3}, back = {2, 0};
    invert(&im); invert(&none); invert(&odd); fill(im, r, 77); fill(im, back, 78); fill(none, r, 79);
    plain(d, 3); plain(d, -3);
    for (int i = 0; i < 12; i++) printf("%d ", d[i]);
}
