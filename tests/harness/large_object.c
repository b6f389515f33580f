/* An object of a quarter of a megabyte that a function fills, reached through a pointer without a type. */
struct table { int mode; float ends[3]; float values[60000]; };
struct piece { void *data; int bins; };
struct params { int mode; float black, step; };

void commit(struct piece *piece, const struct params *p) {
  struct table *t = piece->data;
  t->mode = p->mode;
  t->ends[0] = p->black;
  piece->bins = p->mode ? 256 : 16384;
  for (int i = 0; i < 60000; i++) t->values[i] = p->black + i * p->step;
}
