#include <cstddef>
#include <cstdint>
#include <vector>
typedef std::vector<std::vector<uint8_t>> Picture;
void shift(Picture& d, const Picture& s) {
    for (size_t y = 0; y < s.size(); y++)
        for (size_t x = 0; x + 1 < s[y].size(); x++) d[y][x + 1] = s[y][x];
}
Picture negative(Picture in) {
    Picture out;
    for (size_t y = 0; y < in.size(); y++) {
        std::vector<uint8_t> row;
        for (size_t x = 0; x < in[y].size(); x++) {
            in[y][x] ^= 255;
            row.push_back(in[y][x]);
        }
        out.push_back(row);
    }
    return out;
}
std::vector<int> doubled(const std::vector<int>& v) {
    std::vector<int> out(v.size());
    for (size_t i = 0; i < v.size(); i++) out[i] = 2 * v[i];
    return out;
}
void add(std::vector<int>& a, const std::vector<int>& b) { for (size_t i = 1; i < a.size(); i++) a[i] += b[i - 1]; }
