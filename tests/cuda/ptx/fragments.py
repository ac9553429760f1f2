"""Where mma.sync keeps its matrices: which lane holds which element, written down from the PTX ISA.

"PTX ISA, Matrix Fragments for mma.m*n*k*": of lane L, let g = L / 4 and t = L mod 4. Element i of a
fragment is at

    A, C, D    row g + OFFSET[i].0,           column STEP t + OFFSET[i].1
    B          row STEP t + OFFSET[i],        column g

Elements are packed into registers, the lowest bits first. This is data, kept apart from all code that
computes with it: another description of the layouts can be compared with it, number by number.
"""

# shape, bits per element: (STEP, offsets of A), (STEP, offsets of B)
INPUTS = {
    ("m16n8k8", 16): (
        (2, ((0, 0), (0, 1), (8, 0), (8, 1))),
        (2, (0, 1)),
    ),
    ("m16n8k16", 16): (
        (2, ((0, 0), (0, 1), (8, 0), (8, 1), (0, 8), (0, 9), (8, 8), (8, 9))),
        (2, (0, 1, 8, 9)),
    ),
    ("m16n8k4", 32): (
        (1, ((0, 0), (8, 0))),
        (1, (0,)),
    ),
    ("m16n8k8", 32): (
        (1, ((0, 0), (8, 0), (0, 4), (8, 4))),
        (1, (0, 4)),
    ),
    ("m8n8k16", 8): (
        (4, ((0, 0), (0, 1), (0, 2), (0, 3))),
        (4, (0, 1, 2, 3)),
    ),
    ("m16n8k16", 8): (
        (4, ((0, 0), (0, 1), (0, 2), (0, 3), (8, 0), (8, 1), (8, 2), (8, 3))),
        (4, (0, 1, 2, 3)),
    ),
    ("m16n8k32", 8): (
        (4, ((0, 0), (0, 1), (0, 2), (0, 3), (8, 0), (8, 1), (8, 2), (8, 3),
             (0, 16), (0, 17), (0, 18), (0, 19), (8, 16), (8, 17), (8, 18), (8, 19))),
        (4, (0, 1, 2, 3, 16, 17, 18, 19)),
    ),
    ("m8n8k4", 64): (
        (1, ((0, 0),)),
        (1, (0,)),
    ),
    ("m16n8k4", 64): (
        (1, ((0, 0), (8, 0))),
        (1, (0,)),
    ),
    ("m16n8k8", 64): (
        (1, ((0, 0), (8, 0), (0, 4), (8, 4))),
        (1, (0, 4)),
    ),
    ("m16n8k16", 64): (
        (1, ((0, 0), (8, 0), (0, 4), (8, 4), (0, 8), (8, 8), (0, 12), (8, 12))),
        (1, (0, 4, 8, 12)),
    ),
}

# C and D have the same layout for every type; rows: (STEP, offsets)
OUTPUTS = {
    8: (2, ((0, 0), (0, 1))),
    16: (2, ((0, 0), (0, 1), (8, 0), (8, 1))),
}

# Which (shape, inputs) there are, for which types. Integers wrap, or saturate with .satfinite.
INPUT_TYPES = {
    "f16": ("m16n8k8", "m16n8k16"),
    "bf16": ("m16n8k8", "m16n8k16"),
    "tf32": ("m16n8k4", "m16n8k8"),
    "f64": ("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"),
    "s8": ("m8n8k16", "m16n8k16", "m16n8k32"),
    "u8": ("m8n8k16", "m16n8k16", "m16n8k32"),
    "e4m3": ("m16n8k16", "m16n8k32"),
    "e5m2": ("m16n8k16", "m16n8k32"),
}
OUTPUT_TYPES = {"f16": ("f16", "f32"), "bf16": ("f32",), "tf32": ("f32",), "f64": ("f64",), "s8": ("s32",),
                "u8": ("s32",), "e4m3": ("f16", "f32"), "e5m2": ("f16", "f32")}
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "s8": 8, "u8": 8, "e4m3": 8, "e5m2": 8, "f32": 32, "s32": 32}


def sizes(shape):
    """(m, n, k) of "m16n8k16"."""
    m, rest = shape[1:].split("n")
    n, k = rest.split("k")
    return int(m), int(n), int(k)


def places_a(shape, bits):
    """places[lane][element] = (row, column)."""
    step, offsets = INPUTS[shape, bits][0]
    return [[(lane // 4 + row, step * (lane % 4) + column) for row, column in offsets] for lane in range(32)]


def places_b(shape, bits):
    step, offsets = INPUTS[shape, bits][1]
    return [[(step * (lane % 4) + row, lane // 4) for row in offsets] for lane in range(32)]


def places_c(shape):
    step, offsets = OUTPUTS[sizes(shape)[0]]
    return [[(lane // 4 + row, step * (lane % 4) + column) for row, column in offsets] for lane in range(32)]
