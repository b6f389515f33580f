"""Random kernels over objects that are seen as other classes: derived ones by their first field, union members, what a
`void *` leads to, and classes that the object is none of."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.soundness.expressions import Value, combine, read
from tests.soundness.writer import TYPES, Kernel, Writer

_NUMBERS = ["int", "int", "unsigned", "int8_t", "uint8_t", "int16_t", "uint16_t", "int64_t"]


@dataclass(slots=True)
class _View:
    """How a kernel comes to an object: its parameters, what it declares, and what it may then read and assign."""

    parameters: str
    passed: str
    """What is given for them; `c` is the object, of class `C`."""
    declared: list[str]
    numbers: list[str]
    pointers: list[str]
    classes: str = ""
    made: str = ""
    """What else stands in the caller before the call."""
    counts: list[str] = field(default_factory=list)
    """Numbers that are small."""


def views(g: Writer) -> Kernel:
    """A loop over what views of one object lead to, by sizes that they say; now and then one assigns what another
    reads, or memory lies in the object."""
    pick, chance = g.rng.choice, g.rng.random
    k = g.k
    k.objects = True
    t = pick(TYPES)
    k.pointers |= {"o": "uint8_t", "a": t, "b": t, "e": t, "v": pick(TYPES)}
    k.scalars |= {"kind": (0, 3), "alias": (0, 7), "w": (-1, 20), "h": (-1, 20), "stride": (88, 100)}
    k.result = pick(["void", "void", "int"])
    view = pick([_down, _down, _up, _void, _void, _held, _union, _union, _beside, _named, _two, _derived, _derived,
                 _items])(g)  # fmt: skip
    body = _body(g, view, t)
    if chance() < 0.25:  # the view is taken where the kind is the right one
        body = f"  if (kind == {pick('013')}) {{\n{body}  }}\n" + ("" if k.result == "void" else "  return 0;\n")
    parameters = f"{view.parameters}, {k.pointers['v']} *v, int kind, int stride"
    names = f"using A = A_{k.name}; using B = B_{k.name}; using C = C_{k.name}; "
    classes = _classes(g, t) + view.classes.replace("NAME", k.name)
    head = f'extern "C" {k.result} {k.name}({parameters})'
    k.text = f"namespace n_{k.name} {{\n{classes}{names}\n{head} {{\n{body}}}\n{_caller(g, view, parameters, t)}}}\n"
    return k


def _classes(g: Writer, t: str) -> str:
    """A, and B and C that begin with it; none has the same fields in the same order as another kernel's."""
    pick, name = g.rng.choice, g.k.name

    def mixed(*fields: str) -> str:
        out = list(fields) + [f"char gap{n}[{g.rng.randint(1, 7)}];" for n in range(g.rng.randint(0, 1))]
        g.rng.shuffle(out)
        return " ".join(out)

    a = mixed("int w;", "int h;", f"{t} *data;", f"{pick(_NUMBERS)} n;", f"{pick(_NUMBERS)} m;")
    b = mixed(f"{t} *table;", f"{pick(_NUMBERS)} level;", f"{pick(_NUMBERS)} tail[4];")
    c = mixed(f"{t} *extra;", f"{pick(_NUMBERS)} more;")
    return (
        f"struct A_{name} {{ {a} }};\nstruct B_{name} {{ A_{name} base; {b} }};\n"
        f"struct C_{name} {{ B_{name} b; {c} }};\n"
    )


_OF_A = ["n", "m", "w", "h"]


def _a(path: str) -> list[str]:
    return [f"{path}{n}" for n in _OF_A]


def _b(path: str) -> list[str]:
    return [*_a(f"{path}base."), f"{path}level", f"{path}tail[1]", f"{path}tail[3]"]


def _down(g: Writer) -> _View:
    """A base seen as what begins with it."""
    if g.rng.random() < 0.5:
        return _View("A *f", "&c->b.base", ["B *b = (B *)f;"], [*_a("f->"), *_b("b->")],
                     ["f->data", "b->table", "b->base.data"], counts=["f->w", "b->base.h"])  # fmt: skip
    middle = g.rng.choice(["C *c = (C *)f;", "B *b = (B *)f; C *c = (C *)b;"])
    numbers = [*_a("f->"), *_b("c->b."), "c->more"]
    return _View("A *f", "&c->b.base", [middle], numbers, ["f->data", "c->b.table", "c->extra"], counts=["c->b.base.w"])


def _up(g: Writer) -> _View:
    """What begins with it, seen as a base; and again as itself."""
    taken = g.rng.choice([
        "A *f = (A *)c; B *b = (B *)f;", "A *f = &c->b.base; B *b = &c->b;", "B *b = (B *)c; A *f = (A *)b;",
    ])  # fmt: skip
    return _View("C *c", "c", [taken], [*_a("f->"), *_b("b->"), *_b("c->b.")], ["f->data", "b->table", "c->extra"],
                 counts=["f->w", "c->b.base.h"])  # fmt: skip


def _void(g: Writer) -> _View:
    views_ = g.rng.sample(["A *f = (A *)user;", "B *b = (B *)user;", "C *c = (C *)user;"], 2)
    numbers = {"A": _a("f->"), "B": _b("b->"), "C": [*_b("c->b."), "c->more"]}
    pointers = {"A": ["f->data"], "B": ["b->table", "b->base.data"], "C": ["c->extra", "c->b.table"]}
    given = [view[0] for view in views_]
    if g.rng.random() < 0.5:
        views_, given = views_[:1], given[:1]
    return _View("void *user", "(void *)c", views_, [n for v in given for n in numbers[v]],
                 [p for v in given for p in pointers[v]])  # fmt: skip


def _held(g: Writer) -> _View:
    """A `void *`, or a pointer to the base, in another object."""
    held = g.rng.choice(["B *b = (B *)p->user;", "B *b = (B *)p->owner;", "B *b = (B *)p->user; A *f = p->owner;"])
    numbers = [*_b("b->"), "p->count", *(_a("f->") if "*f" in held else _a("p->owner->"))]
    return _View("P *p", "&holder", [held], numbers, ["b->table", "b->base.data", "p->owner->data"],
                 "struct P_NAME { int count; void *user; A_NAME *owner; };\nusing P = P_NAME;\n",
                 "P holder; holder.count = w; holder.user = c; holder.owner = (A *)c;", ["p->count"])  # fmt: skip


def _union(g: Writer) -> _View:
    kind = g.rng.choice(_NUMBERS)
    classes = (
        f"struct Raw_NAME {{ uint8_t bytes[16]; {kind} words[8]; }};\n"
        "union U_NAME { A_NAME a; B_NAME b; Raw_NAME raw; };\nusing U = U_NAME; using Raw = Raw_NAME;\n"
    )
    taken = g.rng.choice(["", "A *f = (A *)u;", "A *f = &u->a;", "B *b = (B *)u; A *f = (A *)b;", "Raw *r = (Raw *)u;"])
    numbers = [*_a("u->a."), *_b("u->b."), "u->raw.bytes[3]", "u->raw.words[2]", "u->raw.words[0]"]
    numbers += _a("f->") if "*f" in taken else []
    numbers += ["r->bytes[5]", "r->words[1]"] if "*r" in taken else []
    counts = ["u->a.w", "u->b.base.h"]
    return _View("U *u", "(U *)c", [taken], numbers, ["u->a.data", "u->b.table"], classes, counts=counts)


def _beside(g: Writer) -> _View:
    """The base does not lie at the start: what is cast is none, or lies before it."""
    before = g.rng.choice(_NUMBERS)
    first = f"{before} before[{g.rng.randint(1, 3)}];"
    classes = f"struct O_NAME {{ {first} A_NAME base; int after; }};\nusing O = O_NAME;\n"
    numbers = ["x->before[0]", "x->after", *_a("x->base."), *_a("f->")]
    ways = [
        ("O *x", "&other", "A *f = (A *)x;"), ("A *f", "&other.base", "O *x = (O *)f;"),
        ("A *f", "&other.base", "O *x = (O *)((char *)f - offsetof(O, base));"), ("O *x", "&other", "A *f = &x->base;"),
    ]  # fmt: skip
    parameters, passed, taken = g.rng.choice(ways)
    made = "O twice[3]; memset(twice, 7, sizeof twice); O &other = twice[1]; other.base = c->b.base; other.after = 3;"
    pointers = ["f->data"] if passed == "&other.base" or "&x" in taken else ["x->base.data"]
    return _View(parameters, passed, [taken], numbers, pointers, classes, made)


def _named(g: Writer) -> _View:
    """A class with the same names at other places."""
    fields = [f"{g.rng.choice(_NUMBERS)} {n};" for n in ("n", "m", "w", "h", "level")]
    g.rng.shuffle(fields)
    classes = f"struct S_NAME {{ {' '.join(fields)} }};\nusing S = S_NAME;\n"
    numbers = [*_a("f->"), *_a("s->"), "s->level"]
    return _View("A *f", "&c->b.base", ["S *s = (S *)f;"], numbers, ["f->data"], classes)


def _two(g: Writer) -> _View:
    """One object by two parameters, or two that overlap."""
    passed = g.rng.choice(["(A *)c, &c->b", "(A *)c, (B *)c", "&copy.base, &c->b"])
    return _View("A *f, B *b", passed, [g.rng.choice(["", "C *c = (C *)b;"])], [*_a("f->"), *_b("b->")],
                 ["f->data", "b->table"], made="B copy = c->b;")  # fmt: skip


def _derived(g: Writer) -> _View:
    """C++'s own: with and without virtual functions, with two bases."""
    kind = g.rng.choice(_NUMBERS)
    classes = (
        f"struct V_NAME {{ virtual int f() {{ return own; }} {kind} own; }};\n"
        f"struct W_NAME : V_NAME {{ {kind} level; }};\n"
        f"struct D_NAME : A_NAME {{ {kind} level; }};\nstruct E_NAME {{ {kind} own; }};\n"
        f"struct G_NAME : E_NAME, A_NAME {{ {kind} level; }};\n"
        "using V = V_NAME; using W = W_NAME; using D = D_NAME; using G = G_NAME; using E = E_NAME;\n"
    )
    made = "W w_object; w_object.own = 5; w_object.level = 9; "
    made += "D d_object; *(A *)&d_object = c->b.base; d_object.level = 4; "
    made += "G g_object; *(A *)&g_object = c->b.base; g_object.own = 3; g_object.level = 8;"
    ways = [
        ("V *p, A *f", "&w_object, (A *)c", "W *x = (W *)p;", ["x->own", "x->level", "p->own"], ["f->data"]),
        ("A *f", "&d_object", "D *x = (D *)f;", ["x->level", *_a("x->"), *_a("f->")], ["x->data", "f->data"]),
        ("A *f", "&g_object", "G *x = (G *)f;", ["x->level", "x->own", *_a("x->"), *_a("f->")], ["x->data"]),
        ("A *f", "&g_object", "G *x = static_cast<G *>(f); E *y = x;", ["x->level", "y->own", *_a("f->")], ["f->data"]),
        ("E *y, A *f", "&g_object, &g_object", "G *x = (G *)y;", ["x->level", "x->own", "y->own", "x->n"], ["x->data"]),
        ("G *x", "&g_object", "E *y = (E *)x; A *f = (A *)x;", ["x->level", "y->own", *_a("f->")], ["f->data"]),
        ("G *x", "&g_object", "E *y = reinterpret_cast<E *>(x);", ["x->level", "y->own", *_a("x->")], ["x->data"]),
    ]  # fmt: skip
    parameters, passed, taken, numbers, pointers = g.rng.choice(ways)
    return _View(parameters, passed, [taken], numbers, pointers, classes, made)


def _items(g: Writer) -> _View:
    """An array of them at the start of another class."""
    classes = f"struct R_NAME {{ A_NAME items[2]; {g.rng.choice(_NUMBERS)} after; }};\nusing R = R_NAME;\n"
    made = "R r_object; r_object.items[0] = r_object.items[1] = c->b.base; r_object.items[1].n++; r_object.after = 5;"
    ways = [
        ("R *r", "&r_object", "A *f = (A *)r;"), ("A *f", "r_object.items", "R *r = (R *)f;"),
        ("R *r", "&r_object", "A *f = r->items;"), ("R *r", "&r_object", "A *f = (A *)r + 1;"),
    ]  # fmt: skip
    parameters, passed, taken = g.rng.choice(ways)
    numbers = [*_a("f->"), *_a("r->items[1]."), *_a("r->items[0]."), "r->after"]
    return _View(parameters, passed, [taken], numbers, ["f->data", "r->items[1].data"], classes, made)


def _body(g: Writer, view: _View, t: str) -> str:
    pick, chance = g.rng.choice, g.rng.random
    k = g.k

    def number() -> Value:
        mask = pick([255, 15, 1])
        return Value(f"(int)({pick(view.numbers)} & {mask})", 0, mask)

    source, target = pick(view.pointers), pick(view.pointers)
    at = "j * stride + i"
    atoms = [read(f"{source}[{at}]", t), number(), number()]
    value = combine(g.rng, atoms, 2, ["T"]).text
    stored = f"v[{at}]" if chance() < 0.6 else f"{target}[{at}]"
    store = f"{stored} {pick(['=', '=', '+='])} {value};"
    changed = f"{pick(view.numbers)} = {pick([f'{number().text}', f'{number().text} + 1', 'stride & 63'])};"
    before = after = row = ""
    match pick(["no", "no", "no", "before", "after", "inside", "row"]):
        case "before":
            before = f"  {changed}\n"
        case "after":
            after = f"  {changed}\n"
        case "inside":
            store = pick([f"{store} {changed}", f"{changed} {store}"])
        case "row":
            row = changed
    counts = [*view.counts, "20", f"({number().text} & 15)", f"({pick(view.numbers)} & 15)"]
    rows, columns = pick(counts), pick(counts)
    loop = f"    for (int i = 0; i < {columns}; i++) {{ {store} }} }}\n"
    loop = f"  for (int j = 0; j < {rows}; j++) {{ {row}\n{loop}"
    end = "" if k.result == "void" else f"  return (int){pick(view.numbers)};\n"
    return "".join(f"  {line}\n" for line in view.declared if line) + before + loop + after + end


def _caller(g: Writer, view: _View, parameters: str, t: str) -> str:
    """What makes the object in the caller's memory."""
    k = g.k
    pointers = ", ".join(f"{kind} *{n}" for n, kind in k.pointers.items())
    scalars = ", ".join(f"int {n}" for n in k.scalars)
    modes = [
        "c->b.table = c->b.base.data;", f"c->b.base.data = ({t} *)&c->b.base.n;", f"c->b.table = ({t} *)&c->b.level;",
        "v = (decltype(v))&c->b.base.w;", "v = (decltype(v))c->b.tail;", "c->extra = a + 1;",
    ]  # fmt: skip
    aliases = " ".join(f"if (alias == {n + 1}) {{ {mode} }}" for n, mode in enumerate(modes))
    result = "" if k.result == "void" else "return "
    return (
        f'extern "C" {k.result} call_{k.name}({k.result} (*function)({parameters}), {pointers}, {scalars}) {{\n'
        f"  C *c = (C *)(((uintptr_t)o + 15) & ~(uintptr_t)15);\n"
        f"  c->b.base.data = a; c->b.table = b; c->extra = e; c->b.base.w = w; c->b.base.h = h;\n  {aliases}\n"
        f"  {view.made}\n  {result}function({view.passed}, v, kind, stride);\n}}\n"
    )
