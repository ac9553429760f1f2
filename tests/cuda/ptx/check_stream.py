"""The stream kernels against their definition: results, traffic, widths of access, indices past 2^32."""

from machine import Memory
from memory import SPACE_BITS
from support import Random, cache_operators, expect_equal, pack, unpack

THREADS, BLOCKS = 256, 2  # CUDA_BLOCK_THREADS of kernels/cuda/grid.h; blocks that loop
SCALAR = 3.0
OPS = ("read", "write", "copy", "scale", "add", "triad")  # enum stream_op
READS = {"read": 1, "write": 0, "copy": 1, "scale": 1, "add": 2, "triad": 2}
APPLY = {"write": lambda a, b: SCALAR, "copy": lambda a, b: a, "scale": lambda a, b: SCALAR * a,
         "add": lambda a, b: a + b, "triad": lambda a, b: a + SCALAR * b}
RUNGS = {"stream_cuda_0_scalar": (1, 1), "stream_cuda_1_vector": (16, 1), "stream_cuda_2_unrolled": (16, 4)}
LARGEST = {"stream_cuda_0_scalar": 2 * 512 + 7, "stream_cuda_1_vector": 2 * 2048 + 519,
           "stream_cuda_2_unrolled": 2 * 8192 + 2563}  # two rounds of the grid, and ragged rests


def kernel_name(module, op, store, letter):
    """The mangled name holds the template's arguments."""
    if op == "read":
        return module.find("11stream_read", f"12stream_store{store}E{letter}E")
    return module.find("10stream_map", f"9stream_op{OPS.index(op)}E", f"12stream_store{store}E{letter}E")


def arguments(addresses, letter, count, passes, ticket, partial):
    """struct stream_work<T>."""
    scalar = pack(letter, [SCALAR]).ljust(8, b"\0")
    return [pack("Q", addresses) + scalar + pack("Q", [count, passes, ticket, partial])]


def widths_expected(rung, letter, count):
    """(16-byte accesses, those of one element) per array and pass."""
    size = 4 if letter == "f" else 8
    if RUNGS[rung][0] == 1:
        return {size: count}
    lanes = 16 // size
    out = {16: count // lanes, size: count % lanes}
    return {width: times for width, times in out.items() if times}


def times(widths, factor):
    return {width: count * factor for width, count in widths.items() if count * factor}


def check_map(module, rung, op, store, letter, count, passes=1, is_reversed=False):
    random, memory, size = Random(count), Memory(), 4 if letter == "f" else 8
    a, b = random.eighths(count), random.eighths(count)
    addresses = [memory.alloc(pack(letter, a)), memory.alloc(pack(letter, b)), memory.alloc(b"\xff" * size * count)]
    module.launch(kernel_name(module, op, store, letter), memory, (BLOCKS,), (THREADS,),
                  arguments(addresses, letter, count, passes, 0, 0), is_reversed=is_reversed)
    what = f"{rung} {op} {'non-temporal' if store else 'plain'} {letter} x {count}"
    expect_equal(what, unpack(letter, memory.bytes(addresses[2])), [APPLY[op](x, y) for x, y in zip(a, b)])
    loaded = [memory.loaded[address >> SPACE_BITS] for address in addresses]
    moved = passes * size * count
    expect_equal(f"{what}: bytes read of a, b, c", loaded, [moved * (READS[op] > 0), moved * (READS[op] > 1), 0])
    expect_equal(f"{what}: bytes written", memory.stored[addresses[2] >> SPACE_BITS], moved)
    widths = widths_expected(rung, letter, count)
    name = kernel_name(module, op, store, letter)
    for operation in ("ld", "st") if READS[op] else ("st",):
        expect_equal(f"{what}: operators of {operation}", cache_operators(module, name, operation, ""),
                     {"cs" if store else ""})
    expect_equal(f"{what}: loads by width", memory.load_widths, times(widths, READS[op] * passes))
    expect_equal(f"{what}: stores by width", memory.store_widths, times(widths, passes))


def check_read(module, rung, store, letter, count, passes=1, is_reversed=False):
    random, memory, size = Random(count), Memory(), 4 if letter == "f" else 8
    a = random.eighths(count)
    source, target = memory.alloc(pack(letter, a)), memory.alloc(b"\xff" * size)
    ticket, partial = memory.alloc(bytes(4)), memory.alloc(b"\xff" * size * BLOCKS)
    module.launch(kernel_name(module, "read", store, letter), memory, (BLOCKS,), (THREADS,),
                  arguments([source, 0, target], letter, count, passes, ticket, partial), is_reversed=is_reversed)
    what = f"{rung} read {'non-temporal' if store else 'plain'} {letter} x {count}"
    expect_equal(what, unpack(letter, memory.bytes(target)), [sum(a)])
    expect_equal(f"{what}: the ticket", unpack("I", memory.bytes(ticket)), [0])
    expect_equal(f"{what}: bytes read", memory.loaded[source >> SPACE_BITS], passes * size * count)


def check_far(module, rung, op, letter):
    """One block in the middle of arrays of more than 2^33 bytes, of which a window is there."""
    vector_bytes, unroll = RUNGS[rung]
    size = 4 if letter == "f" else 8
    step = THREADS * unroll * (vector_bytes // size if vector_bytes > 1 else 1)  # elements of a block
    block = -(-(2**33 // size + 12345) // step)
    first, memory, random = block * step, Memory(), Random(block)
    a, b = random.eighths(step), random.eighths(step)
    addresses = [memory.alloc(pack(letter, v), first * size) for v in (a, b)]
    addresses.append(memory.alloc(b"\xff" * size * step, first * size))
    module.launch(kernel_name(module, op, 0, letter), memory, (block + 1,), (THREADS,),
                  arguments(addresses, letter, first + step, 1, 0, 0), blocks=[(block, 0, 0)])
    expect_equal(f"{rung} {op} {letter} from element {first}", unpack(letter, memory.bytes(addresses[2])),
                 [APPLY[op](x, y) for x, y in zip(a, b)])


def check_rung(modules, rung):
    """Every kernel of a file at an odd size; the first of each kind at small ones, too."""
    module = modules[rung]
    for letter in "fd":
        size = LARGEST[rung] // (1 if letter == "f" else 2)
        for store in (0, 1):
            for op in OPS[1:]:
                check_map(module, rung, op, store, letter, size // (1 if op == "triad" else 5))
            check_read(module, rung, store, letter, size)
        for count in (1, 3, 17, 511):
            check_map(module, rung, "triad", 0, letter, count, passes=2, is_reversed=True)
            check_read(module, rung, 1, letter, count, passes=2, is_reversed=True)
        check_far(module, rung, "triad", letter)
    return 2 * 2 * 6
