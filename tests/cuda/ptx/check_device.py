"""The small kernels of kernels/cuda: stamps, latch, flush."""

from machine import Memory, PtxError
from support import Wrong, expect_equal, unpack

OPENED, TIMED_OUT = 1, 2  # enum cuda_latch_outcome


def check_stamp(modules):
    module, memory = modules["clock_stamp"], Memory()
    stamp = memory.alloc(b"\xff" * 24)
    for _ in range(2):
        module.launch(module.find("write_stamp"), memory, (1,), (1,), [stamp])
        cycles, nanoseconds = unpack("Q", memory.bytes(stamp))[:2]
        expect_equal("clock stamp: the multiprocessor", unpack("I", memory.bytes(stamp))[4], 0)
    if not 0 < cycles < nanoseconds:
        raise Wrong(f"clock stamp: {cycles} cycles and {nanoseconds} ns, not read in this order")
    return 1


def check_latch(modules):
    """Open: goes on at once. Closed: comes to an end by itself, when the time is over."""
    module, name = modules["latch"], modules["latch"].find("hold")
    for is_open, wanted in ((1, OPENED), (0, TIMED_OUT)):
        memory = Memory()
        latch = memory.alloc(is_open.to_bytes(4, "little") + bytes(4))
        module.launch(name, memory, (1,), (1,), [latch, 50_000])
        expect_equal("latch: open and outcome", unpack("I", memory.bytes(latch)), [is_open, wanted])
    memory = Memory()
    try:
        module.launch(name, memory, (1,), (1,), [memory.alloc(bytes(8)), 2**60])
    except PtxError as error:
        if "does not come to an end" in str(error):
            return 1
        raise
    raise Wrong("latch: closed, with a time-out of 36 years, and yet it let go")


def check_flush(modules):
    module = modules["flush"]
    for vectors in (1, 511, 1300):
        memory = Memory()
        buffer = memory.alloc(bytes(16 * vectors))
        module.launch(module.find("fill"), memory, (2,), (256,), [buffer, vectors, 0xABCD1234])
        expect_equal(f"flush of {vectors} vectors", unpack("I", memory.bytes(buffer)), [0xABCD1234] * 4 * vectors)
        expect_equal(f"flush of {vectors} vectors: stores by width", memory.store_widths, {16: vectors})
    return 1


def check(modules):
    return check_stamp(modules) + check_latch(modules) + check_flush(modules)
