/* Places under guards: one store where the arms' words mean one element, two where they may not. */
#include <stdint.h>

void one_first(int *d, const int *s, int n) {
  for (int j = 0; j < n; j++) {
    if (j == 0) d[0] = s[0];
    else d[j] = s[j];
  }
}
void one_four_arms(int *d, const int *s, int w, int h) {
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++) {
      if (i == 0 && j == 0) d[0] = 1;
      else if (i == 0) d[j] = d[j - 1];
      else if (j == 0) d[i * w] = d[(i - 1) * w];
      else d[i * w + j] = d[i * w + j - 1] + s[i * w + j];
    }
}
void one_unsigned(int *d, int n) {
  for (unsigned j = 0; j < (unsigned)n; j++) {
    if (j == 3u) d[3] = 1;
    else d[j] = 2;
  }
}
void one_parameter(int *d, int n, int k) {
  for (int j = 0; j < n; j++) {
    if (j - 1 == k) d[k + 1] = 1;
    else d[j] = 2;
  }
}
void one_later(int *d, int n) {
  for (int j = 0; j < n; j++) {
    d[j] = 2;
    if (j <= 0) d[0] = 1;
  }
}

void two_places(int *d, int n) {
  for (int j = 0; j < n; j++) {
    if (j == 1) d[1] = 1;
    else d[j + 1] = 2;
  }
}
void two_narrow(int *d, int n) {
  for (int j = 0; j < n; j++) {
    if ((uint8_t)j == 0) d[0] = 1;
    else d[j] = 2;
  }
}
void two_wrapped(int *d, int n) {
  for (int j = 0; j < n; j++) {
    if ((unsigned)j * 4u == 8u) d[2] = 1;
    else d[j] = 2;
  }
}
void two_truncated(int *d, int n, long k) {
  for (int j = 0; j < n; j++) {
    if ((int)(j + k) == 0) d[-k] = 1;
    else d[j] = 2;
  }
}
void two_of_data(int *d, const int *s, int n) {
  for (int j = 0; j < n; j++) {
    if (s[j] == 0) d[0] = 1;
    else d[j] = 2;
  }
}
