#include "gain.h"
void clear(struct Image *im) { for (int i = 0; i < im->w; i++) im->data[i] = GAIN; }
