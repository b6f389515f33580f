#include <stdint.h>
#include <vector>
typedef std::vector<std::vector<int>> Rows;
Rows less(const Rows& a, const Rows& b) {
    Rows out;
    for (int y = 0; y < a.size(); y++) {
        std::vector<int> line;
        for (int x = 0; x < a[0].size(); x++) line.push_back(a[y][x] < b[y][x] ? a[y][x] : b[y][x]);
        out.push_back(line);
    }
    return out;
}
