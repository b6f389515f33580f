"""Random kernels over objects with tables of pointers and of pitches, at places that fields or arguments say."""

from __future__ import annotations

from tests.soundness.expressions import Value, combine, read
from tests.soundness.writer import TYPES, Kernel, Writer

_INDICES = ["int", "int", "uint8_t", "int16_t", "unsigned", "long"]


def chosen(g: Writer) -> Kernel:
    """Planes picked by an index that is a number, an argument, a field, an element of an array of fields; now and then
    the function changes what picks, or stores over it by the plane.  Planes are shared at times, or in the object."""
    pick, chance = g.rng.choice, g.rng.random
    k = g.k
    k.objects = True
    t = pick(TYPES)
    k.pointers |= {"o": "uint8_t", "a": t, "b": t, "e": t, "v": pick(TYPES)}
    for n, high in (("c", 3), ("p", 3), ("q", 3), ("m", 3)):
        k.scalars[n] = (0, high)
    k.scalars |= {"on": (0, 1), "alias": (0, 13), "w": (-1, 20), "h": (-1, 20), "stride": (88, 100)}
    k.kinds["c"] = pick(["int", "int", "uint8_t", "unsigned", "long"])
    k.result = pick(["void", "void", "int"])
    fields = [f"{t} *data[4];", f"{pick(['int', 'int', 'long', 'int16_t'])} pitch[4];", f"{pick(_INDICES)} place[4];",
              f"{pick(_INDICES)} at;", "int w, h;"]  # fmt: skip
    if chance() < 0.4:
        fields.insert(g.rng.randint(0, 4), f"char gap[{g.rng.randint(1, 9)}];")
    g.rng.shuffle(fields)
    passing = pick(["pointer", "pointer", "pointer", "value", "behind", "table"])
    members = " ".join(fields)
    struct = f"struct F_{k.name} {{ {members} }};\nstruct H_{k.name} {{ int kind; F_{k.name} *f; }};\n"
    body = _body(g, t, passing)
    first = {
        "pointer": f"F_{k.name} *f", "value": f"F_{k.name} object", "behind": f"H_{k.name} *holder",
        "table": f"{t} **table, F_{k.name} *f",
    }[passing]  # fmt: skip
    rest = f"{k.pointers['v']} *v, {k.kinds['c']} c, int on, int stride"
    k.text = f'{struct}extern "C" {k.result} {k.name}({first}, {rest}) {{\n{body}}}\n' + _caller(g, t, first, passing)
    return k


def _caller(g: Writer, t: str, first: str, passing: str) -> str:
    """What makes the object in the caller's memory."""
    k = g.k
    given = {"pointer": "f", "value": "*f", "behind": "&holder", "table": f"({t} **)f->data, f"}[passing]
    scalars = ", ".join(f"{k.kinds.get(n, 'int')} {n}" for n in k.scalars)
    pointers = ", ".join(f"{kind} *{n}" for n, kind in k.pointers.items())
    types = f"{first}, {k.pointers['v']} *v, {k.kinds['c']} c, int on, int stride"
    modes = [
        "f->data[1] = f->data[0];", "f->data[1] = f->data[0] + 1;", "f->data[2] = f->data[3] + stride;",
        f"f->data[m] = ({t} *)f->place;", f"f->data[m] = ({t} *)f->data;", f"f->data[m] = ({t} *)&f->at;",
        f"f->data[m] = ({t} *)f->pitch;", "f->data[m] = 0;", "f->pitch[m] = 0;", "f->place[m] = 4;", "f->at = -1;",
        "v = (decltype(v))f->data[m];",
    ]  # fmt: skip
    aliases = " ".join(f"if (alias == {n + 1}) {{ {mode} }}" for n, mode in enumerate(modes))
    result = "" if k.result == "void" else "return "
    return (
        f'extern "C" {k.result} call_{k.name}({k.result} (*function)({types}), {pointers}, {scalars}) {{\n'
        f"  F_{k.name} *f = (F_{k.name} *)(((uintptr_t)o + 15) & ~(uintptr_t)15);\n"
        f"  f->data[0] = a; f->data[1] = b; f->data[2] = e; f->data[3] = a + 1000;\n"
        f"  f->pitch[0] = f->pitch[1] = f->pitch[2] = f->pitch[3] = stride; f->pitch[q] = 90;\n"
        f"  f->place[0] = q; f->place[1] = p; f->place[2] = m; f->place[3] = 3 - p; f->at = m; f->w = w; f->h = h;\n"
        f"  {aliases}\n  H_{k.name} holder; holder.kind = on; holder.f = f; (void)holder;\n"
        f"  {result}function({given}, v, c, on, stride);\n}}\n"
    )


def _index(g: Writer, f: str) -> str:
    return g.rng.choice([
        "0", "1", "c", "c", "c", f"{f}place[c]", f"{f}place[c]", f"{f}place[1]", f"{f}at", f"{f}at", "(3 - c)",
        "(c & 1)", f"{f}place[{f}at]", f"({f}at & 3)", "(uint8_t)c", f"{f}place[{f}place[2]]",
    ])  # fmt: skip


def _body(g: Writer, t: str, passing: str) -> str:
    pick, chance = g.rng.choice, g.rng.random
    k = g.k
    f = {"pointer": "f->", "value": "object.", "behind": "holder->f->", "table": "f->"}[passing]
    data = "table" if passing == "table" else f"{f}data"
    to, of = _index(g, f), _index(g, f)
    if chance() < 0.2:
        of = to
    lines, own = [], ""
    if passing == "pointer" and chance() < 0.2:
        own = pick([f"  F_{k.name} own = *f;\n", f"  F_{k.name} &own = *f;\n"])
        f, data = "own.", "own.data"
        to, of = to.replace("f->", "own."), of.replace("f->", "own.")
    pitch = pick(["stride", f"{f}pitch[{to}]", f"{f}pitch[{of}]", f"{f}pitch[0]"])
    at = f"y * {pitch} + x"
    target, source = f"{data}[{to}]", f"{data}[{of}]"
    if chance() < 0.4:
        lines.append(f"{t} *d = {target};")
        target = "d"
    if chance() < 0.4:
        lines.append(f"const {t} *s = {source};")
        source = "s"
    other = chance() < 0.3  # the plane is read only
    stored = "v[y * stride + x]" if other else f"{target}[{at}]"
    atoms: list[Value] = [read(f"{source}[y * stride + x]", t), read(f"{target}[{at}]", t)]
    if chance() < 0.3:
        atoms.append(Value(f"(int)({f}place[{pick(['0', 'c'])}] & 7)", 0, 7))
    value = combine(g.rng, atoms, 2, ["T"]).text
    store = f"{stored} {pick(['=', '=', '+=', '^='])} {value};"
    changed = _changed(g, f, data, passing)
    before = after = inner = ""
    match pick(["no", "no", "no", "before", "after", "inside", "row"]):
        case "before":
            before = f"  {changed}\n"
        case "after":
            after = f"  {changed}\n"
        case "inside":
            store = pick([f"{store} {changed}", f"{changed} {store}"])
        case "row":
            inner = changed
    w, h = pick([(f"{f}w", f"{f}h"), ("20", f"{f}h"), (f"{f}w", "3")])
    guard = pick(["", "", f"  if (!{data}[{to}]) return{'' if k.result == 'void' else ' -1'};\n", "  if (on)\n"])
    head = "".join(f"  {line}\n" for line in lines)
    loop = f"  for (int y = 0; y < {h}; y++) {{ {inner}\n    for (int x = 0; x < {w}; x++) {{ {store} }} }}\n"
    if guard == "  if (on)\n" and chance() < 0.5:
        head, loop = "", f"  {{ {head}{loop} }}\n"
    first = [before, head, guard] if chance() < 0.5 or guard == "  if (on)\n" else [guard, head, before]
    end = "" if k.result == "void" else f"  return {pick(['on', f'(int){f}place[c]', f'(int){f}pitch[{to}]'])};\n"
    return own + "".join(first) + loop + after + end


def _changed(g: Writer, f: str, data: str, passing: str) -> str:
    """What picks is stored to, or what it picks among."""
    return g.rng.choice([
        f"{f}place[{g.rng.choice('012')}] = {g.rng.choice('0123')};", f"{f}place[c] = {g.rng.choice(['c', '0', '2'])};",
        f"{f}at = {g.rng.choice(['c', '0', f'({f}at + 1) & 3'])};", "c = (c + 1) & 3;", f"{f}pitch[c] = 89;",
        f"{data}[c] = {data}[{g.rng.choice('012')}];", f"{data}[0]++;", f"{f}w = 3;", "{}",
    ])  # fmt: skip
