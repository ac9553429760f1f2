"""What the compiler is to make of the stream and intensity kernels, as data: check_machine_code.py compares.

Every number is a consequence of the source: accesses of a thread as its loops name them, registers that
leave room for the threads that the kernel counts on.
"""

ARCHITECTURES = (75, 80, 86, 89, 90, 100, 120)

# All threads that a multiprocessor holds (1024, 1536 or 2048) share its 65536 registers, in steps of 8.
ALL_THREADS = {75: 64, 80: 32, 86: 40, 89: 40, 90: 32, 100: 32, 120: 40}
FOUR_BLOCKS = dict.fromkeys(ARCHITECTURES, 64)  # of 256 threads
TWO_BLOCKS = dict.fromkeys(ARCHITECTURES, 128)

# Per array: accesses of 16 bytes in the loops of map, and of read; of one element (the rest behind the vectors).
STREAM = {
    "stream_cuda_0_scalar": {"registers": ALL_THREADS, "map": 0, "read": 0, "single": 1},
    "stream_cuda_1_vector": {"registers": ALL_THREADS, "map": 1, "read": 1, "single": 1},
    "stream_cuda_2_unrolled": {"registers": FOUR_BLOCKS, "map": 4 + 1, "read": 4, "single": 1},
}
STREAM_READS = (1, 0, 1, 1, 2, 2)  # arrays that read, write, copy, scale, add, triad load from

# type: bytes of a register, the instruction that counts
PRODUCTS = {"f32": (4, "FFMA"), "f64": (8, "DFMA"), "f16": (4, "HFMA2"), "bf16": (4, "HFMA2"), "int32": (4, "IMAD")}
TRAPS = {("bf16", 75)}  # no such instruction: the kernel must not give a number
# f64 on chips with a sixty-fourth of the units: the compiler pads with NOP, which the share leaves out.
PADDED = {("f64", 120)}

CHAINS, ROUND = 4, 64  # value vectors of a block; multiply-adds per round of the loop for m > 32
INTENSITY = {
    "source0": {"registers": FOUR_BLOCKS, "global": 4, "shared": 0, "strong": False},
    "source1": {"registers": FOUR_BLOCKS, "global": 4, "shared": 0, "strong": True},
    "source2": {"registers": TWO_BLOCKS, "global": None, "shared": 4, "strong": False},
}
INTENSITY_STORES = 4
INTENSITY_REFERENCE = FOUR_BLOCKS
# Of the inner loop's instructions, for m from SHARE_FROM_M on. A DFMA keeps its unit for two cycles or more
# (16 lanes for a scheduler at most), in which other instructions start: f64 may have a few of them more.
SHARE = {"f32": 0.90, "f64": 0.85, "f16": 0.90, "bf16": 0.90, "int32": 0.90}
SHARE_FROM_M = 32

KERNEL_COUNT = {"stream_cuda_0_scalar": 24, "stream_cuda_1_vector": 24, "stream_cuda_2_unrolled": 24,
                "intensity_cuda_0_reference": 5, "intensity_cuda_1_chains": 105}
