// Names that mean something in the emitted text.
#include <cstdint>

static int build(int v, int lambda) { return v * lambda + (v << 1); }
static float hl(float v) { return v < 0.5f ? v * v : 1.0f - v; }

void named_build(int* out, const uint8_t* np, int n, int min) {
    for (int i = 0; i < n; i++) out[i] = build(np[i], min & 255);
}

void named_hl(float* r, const float* part0, int n) {
    for (int i = 0; i < n; i++) r[i] = hl(part0[i]);
}

void named_int(uint8_t* output, const uint8_t* x, int n, int y, int def) {
    for (int i = 0; i < n; i++) output[i] = (uint8_t)(x[i] * (y & 15) + (def > 0 ? 1 : 0));
}
