struct Pair { int x, y; };
int nested(int *a, int n, Pair p) {
    auto twice = [](int k) { return 2 * k; };
    int *b = new int[n];
    do {
        switch (n & 1) {
        case 0:
            if (n > 3) for (int i = 0; i < n; i++) { a[i] = twice((p.x ? -i : (int)a[i])); b[i] += a[i]; }
            break;
        default:
            while (n > 0) { n--; if (a[n] == 7) continue; a[n] = 1; }
        }
    } while (n > 9);
    delete[] b;
    return p.y;
}
