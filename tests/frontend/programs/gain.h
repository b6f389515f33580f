#define GAIN 5
