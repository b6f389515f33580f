#include <dlfcn.h>
#include <cstdio>
static void show(const char* what, const Picture& p) {
    printf("%s:", what);
    for (auto& r : p) { for (int v : r) printf(" %d", v); printf(" |"); }
    printf("\n");
}
static void show(const char* what, const std::vector<int>& v) {
    printf("%s:", what);
    for (int e : v) printf(" %d", e);
    printf("\n");
}
int main(int, char** arguments) {
    void* library = dlopen(arguments[1], RTLD_NOW);
    auto shift = (void (*)(Picture&, const Picture&))dlsym(library, "SHIFT");
    auto negative = (Picture (*)(Picture))dlsym(library, "NEGATIVE");
    auto doubled = (std::vector<int> (*)(const std::vector<int>&))dlsym(library, "DOUBLED");
    auto add = (void (*)(std::vector<int>&, const std::vector<int>&))dlsym(library, "ADD");
    Picture s{{1, 2, 3}, {4, 5, 6}}, d{{9, 9, 9, 9}, {8, 8, 8, 8}}, ragged{{1, 2, 3}, {4}, {}, {5, 6}};
    show("negative", negative(s));
    show("what it was made of", s);
    show("negative of ragged rows", negative(ragged));
    show("negative of nothing", negative(Picture()));
    show("negative of empty rows", negative(Picture(2)));
    shift(d, s);
    show("shifted", d);
    Picture e{{9, 9}, {8, 8, 8, 8}}, short_rows{{1}, {2, 3}};
    shift(e, short_rows);
    show("ragged shifted", e);
    Picture own{{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}};
    shift(own, own);
    show("onto itself", own);
    std::vector<int> v{1, 2, 3, 4};
    show("doubled", doubled(v));
    show("doubled nothing", doubled({}));
    add(v, {10, 20, 30, 40});
    show("added", v);
    add(v, v);
    show("added to itself", v);
}
