#include <stdint.h>
#include <stddef.h>
void over(uint8_t* dst, const uint8_t* src, int pixels, int channels) {
    for (int i = 0; i < pixels; i++) {
        const int alpha = src[i * channels + channels - 1];
        for (int c = 0; c < channels - 1; c++) {
            const int k = i * channels + c;
            dst[k] = (dst[k] * (255 - alpha) + src[k] * alpha) / 255;
        }
    }
}
void weights(float* dst, const float* src, const float* weight, size_t pixels, size_t channels) {
    for (size_t i = 0; i < pixels; i++)
        for (size_t c = 0; c < channels; c++) dst[i * channels + c] = src[i * channels + c] * weight[c];
}
