// A plug-in of the middle nineties: K&R-minded C, rows walked by pointers that count down, macros for the arithmetic.
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned long ulong;

#define MUL255(a, b, t) ((t) = (a) * (b) + 0x80, ((((t) >> 8) + (t)) >> 8))
#define CLIP8(v) ((v) < 0 ? 0 : ((v) > 255 ? 255 : (v)))
#define MIN2(a, b) ((a) < (b) ? (a) : (b))
#define MAX2(a, b) ((a) > (b) ? (a) : (b))

// Multiply of one row: a countdown over three walking pointers.
void plug_multiply_row(uchar *dst, const uchar *top, const uchar *bottom, int count)
{
    int t;
    while (count-- > 0) {
        *dst++ = (uchar)MUL255(*top, *bottom, t);
        top++;
        bottom++;
    }
}

// Screen of one row: do-while behind a guard.
void plug_screen_row(uchar *dst, const uchar *top, const uchar *bottom, int count)
{
    int a, b, t;
    if (count < 1)
        return;
    do {
        a = 255 - *top++;
        b = 255 - *bottom++;
        *dst++ = (uchar)(255 - MUL255(a, b, t));
    } while (--count);
}

// Addition in place over a plane: rows and columns counted down, pitch added less the width.
void plug_add_inplace(uchar *base, const uchar *layer, int width, int height, int pitch)
{
    int x, y, s;
    int skip = pitch - width;
    for (y = height; y > 0; y--) {
        for (x = width; x > 0; x--) {
            s = *base + *layer++;
            *base++ = (uchar)MIN2(s, 255);
        }
        base += skip;
        layer += skip;
    }
}

// Subtraction in place over a plane: the same walk with two pitches.
void plug_subtract_inplace(uchar *base, const uchar *layer, int width, int height, int basePitch, int layerPitch)
{
    int x, y, s;
    for (y = height; y > 0; y--) {
        for (x = width; x > 0; x--) {
            s = *base - *layer++;
            *base++ = (uchar)MAX2(s, 0);
        }
        base += basePitch - width;
        layer += layerPitch - width;
    }
}

// Difference of planes: an index that runs on from row to row.
void plug_difference(uchar *dst, const uchar *a, const uchar *b, int width, int height)
{
    int i = 0, y, x;
    for (y = 0; y < height; y++)
        for (x = 0; x < width; x++) {
            dst[i] = (uchar)(a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]);
            i++;
        }
}

// Exclusion of planes: one flat loop over width times height.
void plug_exclusion(uchar *dst, const uchar *a, const uchar *b, int width, int height)
{
    int i, t, total = width * height;
    for (i = 0; i < total; i++)
        dst[i] = (uchar)(a[i] + b[i] - 2 * MUL255(a[i], b[i], t));
}

// Average with an opacity of 0 to 100: the percentage is turned into a weight first.
void plug_average_percent(uchar *dst, const uchar *src, int percent, int width, int height, int pitch)
{
    int weight = percent * 256 / 100;
    while (height-- > 0) {
        int x = 0;
        while (x < width) {
            int mean = (dst[x] + src[x]) >> 1;
            dst[x] = (uchar)(dst[x] + (((mean - dst[x]) * weight) >> 8));
            x++;
        }
        dst += pitch;
        src += pitch;
    }
}

// Stamp with a colour key: pixels of the key are left alone, an early continue.
void plug_stamp_keyed(uchar *dst, const uchar *src, int key, int width, int height, int pitch)
{
    int x, y;
    for (y = 0; y < height; y++) {
        const uchar *s = &src[y * pitch];
        uchar *d = &dst[y * pitch];
        for (x = 0; x < width; x++, s++, d++) {
            if (*s == key)
                continue;
            *d = *s;
        }
    }
}

// Darker of two interleaved RGB rows: three channels by hand, pointers advanced by three.
void plug_darker_rgb(uchar *dst, const uchar *a, const uchar *b, int pixels)
{
    for (; pixels > 0; pixels--) {
        dst[0] = MIN2(a[0], b[0]);
        dst[1] = MIN2(a[1], b[1]);
        dst[2] = MIN2(a[2], b[2]);
        dst += 3;
        a += 3;
        b += 3;
    }
}

// Lighter of two rows through a table of differences: no branch, a table of 511 entries with its origin in the middle.
void plug_lighter_table(uchar *dst, const uchar *a, const uchar *b, const uchar *positive, int count)
{
    const uchar *middle = positive + 255;
    int i;
    for (i = 0; i < count; i++)
        dst[i] = (uchar)(b[i] + middle[a[i] - b[i]]);
}

// Negation: the distance of the sum from white, folded.
void plug_negation(uchar *dst, const uchar *a, const uchar *b, int width, int height, int pitch)
{
    int x, y, v;
    for (y = 0; y < height; y++, dst += pitch, a += pitch, b += pitch)
        for (x = width - 1; x >= 0; x--) {
            v = 255 - a[x] - b[x];
            if (v < 0)
                v = -v;
            dst[x] = (uchar)(255 - v);
        }
}

// Dissolve by a pattern of 8 by 8: the pattern is addressed with masks of the counters.
void plug_dissolve_pattern(uchar *dst, const uchar *src, const uchar *pattern, int level, int width, int height, int pitch)
{
    int x, y;
    for (y = 0; y < height; y++) {
        for (x = 0; x < width; x++)
            if (pattern[((y & 7) << 3) + (x & 7)] < level)
                dst[y * pitch + x] = src[y * pitch + x];
    }
}

// Interpolation of two 16-bit rows by a 16-bit weight: unsigned long products as on a 32-bit machine.
void plug_mix16(ushort *dst, const ushort *a, const ushort *b, unsigned weight, int count)
{
    while (--count >= 0) {
        unsigned v = ((unsigned)*a++ * (65536 - weight)) >> 16;
        *dst++ = (ushort)(v + (((unsigned)*b++ * weight) >> 16));
    }
}

// Fade to black by halves: a loop bound by an end pointer.
void plug_fade_row(uchar *row, int count, int shift)
{
    uchar *end = row + count;
    while (row < end) {
        *row = (uchar)(*row >> (shift & 7));
        row++;
    }
}
