#define GAIN 3
struct Image { unsigned char *data; int w; };
