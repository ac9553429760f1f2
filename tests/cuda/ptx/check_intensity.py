"""The intensity kernels against their definition (kernels/intensity/intensity_cuda.h), bit by bit."""

from formats import DECODE, ENCODE, fma_f64, fma_short
from machine import Memory, PtxError
from memory import SPACE_BITS
from support import Random, Wrong, cache_operators, expect_equal, pack

CHAINS, VECTOR_BYTES = 4, 4096  # intensity_cuda.h: 16 bytes of each of 256 threads
BLOCK_BYTES = CHAINS * VECTOR_BYTES
PERIOD = 31  # lanes with the same values, so that few references serve many lanes
RUNGS = (1, 2, 4, 8, 16, 32, 128)  # 128: two rounds of the loop that stands for all above 32
LOOP = 64
SOURCES = ("from the caches", "past the L1", "from shared memory")  # enum source of rung 1
FROM_CACHES, PAST_L1, FROM_SHARED = range(3)
# type: bytes of an element, r, the instruction that is counted, elements in it
TYPES = {"f32": (4, 1 - 2.0**-20, "fma.f32", 1), "f64": (8, 1 - 2.0**-20, "fma.f64", 1),
         "f16": (2, 0.5, "fma.f16x2", 2), "bf16": (2, 0.5, "fma.bf16x2", 2), "int32": (4, 3, "mad.u32", 1)}


def encode(kind, value):
    return int(value * 8) & 0xFFFFFFFF if kind == "int32" else ENCODE[kind](value)


def step(kind, acc, r, v):
    """acc <- acc r + v on bits, rounded once."""
    if kind == "int32":
        return (acc * r + v) & 0xFFFFFFFF
    numbers = (DECODE[kind](x) for x in (acc, r, v))
    return ENCODE[kind]((fma_f64 if kind == "f64" else fma_short)(*numbers))


class Case:
    """Arguments of one launch, its input, and what must come out."""

    def __init__(self, kind, m, parts, blocks, chunk_blocks, first_unit, unit_count, threads):
        self.kind, self.m, self.parts, self.blocks, self.chunk_blocks = kind, m, parts, blocks, chunk_blocks
        self.first_unit, self.unit_count, self.threads = first_unit, unit_count, threads
        self.size, r, self.instruction, self.packed = TYPES[kind]
        self.r = encode(kind, r / 8) if kind == "int32" else encode(kind, r)
        self.lanes = VECTOR_BYTES // self.size
        self.base = [encode(kind, v) for v in Random(m + blocks).eighths(PERIOD * 7)]

    def value(self, vector, lane):
        return self.base[vector * 11 % 7 * PERIOD + lane % PERIOD]

    def input(self):
        return b"".join(self.value(v, lane).to_bytes(self.size, "little")
                        for v in range(self.parts * self.blocks * CHAINS) for lane in range(self.lanes))

    def chunk(self, unit):
        """(first block, blocks) of a unit in its part."""
        chunks = -(-self.blocks // self.chunk_blocks)
        first = unit % chunks * self.chunk_blocks
        return first, min(self.blocks - first, self.chunk_blocks)

    def expected(self, part, lane):
        first, count = self.chunk(self.first_unit + self.unit_count - 1)
        sums = [0] * CHAINS
        for w in range(count * CHAINS):
            v = self.value((part * self.blocks + first) * CHAINS + w, lane)
            for k in range(self.m):
                chain = (w * self.m + k) % CHAINS
                sums[chain] = step(self.kind, sums[chain], self.r, v)
        return sums

    def arguments(self, a, out):
        """struct intensity_work<R>."""
        width = 8 if self.kind == "f64" else 4
        r = self.r * 0x10001 if self.packed == 2 else self.r
        first_block, _ = self.chunk(self.first_unit)
        data = pack("q", [a, out, self.blocks, self.chunk_blocks, first_block, self.unit_count, self.m])
        data += 2 * r.to_bytes(width, "little") + bytes(CHAINS * width)
        return [data + bytes(-len(data) % 8)]

    def expected_steps(self):
        """Instructions that count, of all threads that were launched."""
        blocks = sum(self.chunk(self.first_unit + u)[1] for u in range(self.unit_count))
        lanes = 16 // self.size // self.packed
        return self.parts * blocks * CHAINS * self.m * lanes * self.threads


def run(module, name, case, shared, what, is_spread):
    """is_spread: the kernel's threads stride over all lanes; otherwise each does its own 16 bytes."""
    memory = Memory()
    a, out = memory.alloc(case.input()), memory.alloc(b"\xff" * case.parts * BLOCK_BYTES)
    before = module.counts.get(case.instruction, 0)
    module.launch(name, memory, (case.parts,), (case.threads,), case.arguments(a, out), shared)
    data, cache = memory.bytes(out), {}
    lanes = case.lanes if is_spread else case.threads * 16 // case.size
    for part in range(case.parts):
        for chain in range(CHAINS):
            start = part * BLOCK_BYTES + chain * VECTOR_BYTES
            for lane in range(lanes):
                key = part, lane % PERIOD
                if key not in cache:
                    cache[key] = case.expected(part, lane)
                got = int.from_bytes(data[start + lane * case.size : start + (lane + 1) * case.size], "little")
                if got != cache[key][chain]:
                    raise Wrong(f"{what}: part {part} chain {chain} lane {lane} is {got:#x}, not {cache[key][chain]:#x}")
    steps = case.expected_steps() * (256 // case.threads if is_spread else 1)
    expect_equal(f"{what}: multiply-adds", module.counts.get(case.instruction, 0) - before, steps)
    return memory, a


def check_chains(module, kind, m, source):
    is_small, from_shared = m <= 4, source == FROM_SHARED
    if from_shared:
        case = Case(kind, m, 1 + is_small, 2 if m < 32 else 1, 2 if m < 32 else 1, 0, 1 + is_small, 64 if is_small else 32)
    elif is_small:
        case = Case(kind, m, 2, 3, 2, 1, 2, 256 if m == 1 else 64)
    else:
        case = Case(kind, m, 1, 1, 1, 0, 1, 32)
    name = module.find("16intensity_chains", f"{9 + len(kind) + 1}intensity_{kind}L",
                       f"Li{m if m <= 32 else LOOP}EL6source{source}E")
    what = f"intensity_chains {kind} m = {m} {SOURCES[source]}"
    shared = case.chunk_blocks * BLOCK_BYTES if from_shared else 0
    memory, a = run(module, name, case, shared, what, False)
    blocks = (sum(case.chunk(case.first_unit + u)[1] for u in range(case.unit_count)) if not from_shared
              else case.blocks)
    expect_equal(f"{what}: bytes read", memory.loaded[a >> SPACE_BITS],
                 case.parts * blocks * CHAINS * 16 * case.threads)
    if not from_shared:
        expect_equal(f"{what}: operators of its loads", cache_operators(module, name, "ld", ""),
                     {"cg" if source == PAST_L1 else ""})
    expect_equal(f"{what}: loads by width", set(memory.load_widths), {16})
    expect_equal(f"{what}: stores by width", set(memory.store_widths), {16})


def check_traps(module):
    """bf16 below compute capability 8.0 must not give a number."""
    for name in (n for n in module.sources if "intensity_bf16" in n):
        memory, case = Memory(), Case("bf16", LOOP, 1, 1, 1, 0, 1, 32)
        a, out = memory.alloc(case.input()), memory.alloc(bytes(BLOCK_BYTES))
        try:
            module.launch(name, memory, (1,), (32,), case.arguments(a, out), BLOCK_BYTES)
        except PtxError as error:
            if "trap" in str(error):
                continue
            raise
        raise Wrong(f"{name} ran on an architecture that has no such instruction")


def check_rung(modules, rung):
    module, count = modules[rung], 0
    for kind in TYPES:
        if kind == "bf16" and module.target == "sm_75":
            check_traps(module)
            continue
        if rung.endswith("0_reference"):
            case = Case(kind, 2, 2, 3, 2, 1, 2, 256)
            run(module, module.find("19intensity_reference", f"intensity_{kind}E"), case, 0, f"{rung} {kind}", True)
            count += 1
            continue
        for m in RUNGS:
            for source in range(len(SOURCES)):
                check_chains(module, kind, m, source)
                count += 1
    return count
