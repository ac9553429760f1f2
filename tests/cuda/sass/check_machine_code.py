"""The machine code of the stream and intensity kernels against design.py: spills, registers, widths, inner loops.

    check_machine_code.py FOLDER TABLE      FOLDER/STEM.sm_NN.cubin and .txt (what ptxas said), by CMakeLists.txt

Writes TABLE, in Markdown. With nvdisasm (PATH, CUDA toolkit, build/venv) it reads suffixes and loops;
without it counts opcodes. Then it breaks the design on purpose, and has a kernel that spills: each must be
flagged. Exit 77 without the folder, 1 where something is not as designed, or where a breakage passes.
"""

import collections
import copy
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/cuda/gemm"))

import design  # noqa: E402
import histogram  # noqa: E402
from machine_code import Kernel, find_loops, find_tool, mnemonic, opcode, read_resources  # noqa: E402

STREAM_NAME = re.compile(r"stream_(map|read)(?:IL9stream_op(\d)E)?I?L12stream_store(\d)E([fd])E")
CHAINS_NAME = re.compile(r"16intensity_chainsI\d+intensity_(\w+?)Li(\d+)EL6(source\d)E")
SOURCES = {"source0": "from the caches", "source1": "past the L1", "source2": "from shared memory"}
NARROW = ("U8", "S8", "U16", "64", "128")


class Code:
    """A kernel of a file for an architecture. inner: the innermost loops, None where they cannot be seen."""

    def __init__(self, stem, architecture, kernel, body, inner):
        self.stem, self.architecture, self.name = stem, architecture, kernel.name
        self.registers, self.spill_bytes, self.body, self.inner = kernel.registers, kernel.spill_bytes, body, inner

    def accesses(self, name):
        """{bytes: how many} of LDG and the like, plain, and past the L1 (STRONG)."""
        plain, strong = collections.Counter(), collections.Counter()
        for i in self.body:
            if opcode(i) == name:
                parts = mnemonic(i).split(".")
                width = next((p for p in parts if p in NARROW), "32")
                to = strong if "STRONG" in parts else plain
                to[int(re.sub(r"\D", "", width)) // 8] += 1
        return plain, strong

    def count(self, name):
        return sum(opcode(i) == name for i in self.body)


def is_product(instruction, name):
    """IMAD alone is a multiply-add: IMAD.MOV, IMAD.WIDE and others are not."""
    return opcode(instruction) == name and (name != "IMAD" or mnemonic(instruction) == "IMAD")


def read_code(folder, stem, architecture, disassembler):
    path = folder / f"{stem}.sm_{architecture}.cubin"
    kernels, bodies, loops = {}, {}, {}
    read_resources(path.with_suffix(".txt").read_text(encoding="utf-8"), kernels)
    if disassembler:
        text = subprocess.run([disassembler, "-c", str(path)], capture_output=True, text=True, check=True).stdout
        parts = re.split(r"^\.text\.(\w+):\n", text, flags=re.M)
        for name, body in zip(parts[1::2], parts[2::2]):
            bodies[name], spans = find_loops(body.splitlines())
            loops[name] = [bodies[name][a:b] for a, b in spans
                           if not any((c, d) != (a, b) and a <= c and d <= b for c, d in spans)]
    else:
        bodies = histogram.read_bodies(path)
    return [Code(stem, architecture, kernels.get(name, Kernel(name)), body, loops.get(name))
            for name, body in bodies.items()]


def expect(what, got, wanted):
    if got != wanted:
        yield f"{what}: {got}, not {wanted}"


def complain_common(code, registers):
    if code.spill_bytes or code.count("LDL") or code.count("STL"):
        yield f"spills {code.spill_bytes} bytes, {code.count('LDL')} LDL, {code.count('STL')} STL"
    if not 0 < code.registers <= registers[code.architecture]:
        yield f"{code.registers} registers, at most {registers[code.architecture]}"


def complain_stream(code, plan):
    kind, op, _, letter = STREAM_NAME.search(code.name).groups()
    size, vectors, single = (4 if letter == "f" else 8), plan[kind], plan["single"]
    arrays = plan["reads"][int(op or 0)]
    yield from complain_common(code, plan["registers"])
    if code.inner is None:
        loads, stores = code.count("LDG"), code.count("STG")
        if kind == "read":
            if loads < vectors + single:
                yield f"{loads} loads, fewer than {vectors + single}"
            return
        yield from expect("loads", loads, arrays * (vectors + single))
        yield from expect("stores", stores, vectors + single)
        return
    wanted = +collections.Counter({16: arrays * vectors, size: arrays * single})
    yield from expect("loads by bytes", code.accesses("LDG")[0], wanted)
    if kind == "map":
        wanted = +collections.Counter({16: vectors, size: single})
        yield from expect("stores by bytes", code.accesses("STG")[0], wanted)


def best_loop(code, name):
    return max(code.inner, key=lambda loop: sum(is_product(i, name) for i in loop), default=[])


def share_of(code, kind, loop, padded):
    products = sum(is_product(i, design.PRODUCTS[kind][1]) for i in loop)
    is_padded = (kind, code.architecture) in padded
    return products, len(loop) - sum(opcode(i) == "NOP" for i in loop) * is_padded


def complain_loop(code, kind, m, share):
    size, name = design.PRODUCTS[kind]
    wanted = (design.CHAINS * m if m <= 32 else design.ROUND) * (16 // size)
    if code.inner is None:
        rounds = design.CHAINS if m > 32 else 1
        if code.count(name) < wanted * rounds:
            yield f"{code.count(name)} {name}, fewer than {wanted * rounds}"
        return
    products, length = share_of(code, kind, best_loop(code, name), design.PADDED)
    yield from expect(f"{name} in the inner loop", products, wanted)
    if m >= design.SHARE_FROM_M and products < share * length:
        yield f"{name} are {products} of {length} instructions of the inner loop, less than {share:.0%}"


def complain_chains(code, plan):
    kind, m, source = CHAINS_NAME.search(code.name).groups()
    row = plan[source]
    yield from complain_common(code, row["registers"])
    if (kind, code.architecture) in design.TRAPS:
        yield from expect("multiply-adds of a type that is not there", code.count(design.PRODUCTS[kind][1]), 0)
        return
    yield from complain_loop(code, kind, int(m), plan["share"][kind])
    if code.inner is None:
        if row["global"] is not None:
            yield from expect("loads", code.count("LDG"), row["global"])
        return
    plain, strong = code.accesses("LDG")
    if row["global"] is None:
        copies = code.accesses("LDG" if code.architecture < 80 else "LDGSTS")[0]
        yield from expect("bytes of the copies to shared memory", set(copies), {16})
        others = strong if code.architecture < 80 else plain + strong
        yield from expect("loads past the copies", sum(others.values()), 0)
    else:
        yield from expect("loads by bytes", (strong if row["strong"] else plain), {16: row["global"]})
        yield from expect("loads of the other kind", sum((plain if row["strong"] else strong).values()), 0)
    yield from expect("loads of 16 bytes from shared memory", code.accesses("LDS")[0][16], row["shared"])
    yield from expect("stores by bytes", code.accesses("STG")[0], {16: plan["stores"]})


def complaints(code, plans):
    if code.stem in plans["stream"]:
        found = complain_stream(code, {**plans["stream"][code.stem], "reads": plans["reads"]})
    elif code.stem == "intensity_cuda_1_chains":
        found = complain_chains(code, plans["intensity"])
    else:
        found = complain_common(code, plans["reference"])
    return [f"{code.name} for sm_{code.architecture}: {sentence}" for sentence in found]


def table_row(code):
    if m := STREAM_NAME.search(code.name):
        op = ("read", "write", "copy", "scale", "add", "triad")[int(m[2] or 0)]
        label = f"{code.stem} {op}{' streaming' if m[3] == '1' else ''} {'f32' if m[4] == 'f' else 'f64'}"
    elif m := CHAINS_NAME.search(code.name):
        label = f"{code.stem} {m[1]} m = {m[2]} {SOURCES[m[3]]}"
    else:
        label = f"{code.stem} {re.search(r'intensity_([a-z]+[0-9]+)E', code.name)[1]}"
    loop, nop = "", ""
    if m and CHAINS_NAME.search(code.name) and code.inner is not None:
        body = best_loop(code, design.PRODUCTS[m[1]][1])
        products, length = share_of(code, m[1], body, set())
        loop, nop = f"{products} of {length}", sum(opcode(i) == "NOP" for i in body)

    def widths(name):
        plain, strong = code.accesses(name)
        return ", ".join(f"{n} x {w}" for w, n in sorted((plain + strong).items(), reverse=True))

    cells = (f"sm_{code.architecture}", label, code.registers, widths("LDG"), widths("STG"), loop, nop)
    return f"| {' | '.join(map(str, cells))} |"


def write_table(path, codes, has_loops):
    heads = ("", "kernel", "registers", "LDG, bytes", "STG, bytes", "multiply-adds of the inner loop", "NOP in it")
    note = "" if has_loops else "\nWithout nvdisasm: bytes and loops are unknown, every access counts as 4 bytes.\n"
    rows = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads), *map(table_row, codes)]
    text = "\n".join(["# Stream and intensity kernels as machine code", note, *rows, ""])
    path.write_text(text, encoding="utf-8")


def breakages(codes, plans):
    """(what, codes, plans): each must be flagged."""
    def changed(change):
        new = copy.deepcopy(plans)
        change(new)
        return new

    chains = [c for c in codes if CHAINS_NAME.search(c.name)]
    worst = {a: max(c.registers for c in chains if c.architecture == a) for a in (75, 80)}
    yield "a register less", codes, changed(lambda p: p["intensity"]["source2"].update(
        registers={a: n - 1 for a, n in worst.items()}))
    yield "a vector load more", codes, changed(lambda p: p["stream"]["stream_cuda_2_unrolled"].update(map=6))
    yield "an array more", codes, changed(lambda p: p.update(reads=(1, 0, 1, 2, 2, 2)))
    yield "a load less from the caches", codes, changed(lambda p: p["intensity"]["source0"].update({"global": 3}))
    if chains[0].inner is not None:
        yield "caches where the L1 is passed", codes, changed(lambda p: p["intensity"]["source1"].update(strong=False))
        share = dict.fromkeys(design.SHARE, 0.999)
        yield "a share that no loop has", codes, changed(lambda p: p["intensity"].update(share=share))
        yield "a shared load more", codes, changed(lambda p: p["intensity"]["source2"].update(shared=5))
        yield "a store more", codes, changed(lambda p: p["intensity"].update(stores=5))
    for name in ("FFMA", "DFMA", "IMAD", "HFMA2"):
        found = (c for c in chains if c.architecture == 80 and c.count(name) > 255 and "Li32E" in c.name)
        one = copy.deepcopy(next(found))
        halves = [one.body, *(one.inner or [])]
        for body in halves:
            body[:] = [i for k, i in enumerate(body) if opcode(i) != name or k % 2]
        yield f"half of the {name}", [one], plans


def main():
    folder, table = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    if not folder.is_dir():
        print("nvcc is not installed, so there is no machine code to read: skipped (install the CUDA toolkit)")
        return 77
    disassembler = None if "--histogram" in sys.argv[3:] else find_tool("nvdisasm")
    plans = {"stream": design.STREAM, "reads": design.STREAM_READS, "reference": design.INTENSITY_REFERENCE,
             "intensity": {**design.INTENSITY, "stores": design.INTENSITY_STORES, "share": design.SHARE}}
    codes, wrong = [], []
    files = [(stem, architecture) for stem in design.KERNEL_COUNT for architecture in design.ARCHITECTURES]
    for stem, architecture in files:
        new = read_code(folder, stem, architecture, disassembler)
        wrong += expect(f"kernels of {stem} for sm_{architecture}", len(new), design.KERNEL_COUNT[stem])
        codes += new
    wrong += [sentence for code in codes for sentence in complaints(code, plans)]
    write_table(table, codes, disassembler is not None)
    manner = "by nvdisasm" if disassembler else "as opcodes, without nvdisasm"
    print(f"{len(codes)} kernels read {manner}: {table}")
    for what, broken, plan in breakages([c for c in codes if c.architecture in (75, 80)], plans):
        found = [s for code in broken for s in complaints(code, plan)]
        print(f"flagged: {what}: {len(found)} times, as {found[0]}" if found else f"MISSED: {what}")
        wrong += [] if found else [f"not flagged: {what}"]
    spilled = read_code(folder, "spill", 80, disassembler)
    found = [s for code in spilled for s in complain_common(code, design.FOUR_BLOCKS)]
    print(f"flagged: a kernel that spills: {found}" if any("spills" in s for s in found) else "MISSED: spill.cu")
    wrong += [] if any("spills" in s for s in found) else ["not flagged: spill.cu"]
    print("\n".join(wrong[:40]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
