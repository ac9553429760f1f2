"""Memories of the interpreted device: every access inside one buffer, aligned, and of what was written.

A buffer's addresses start at its number times 2^44, so that no offset of a kernel's own arithmetic
reaches another buffer. A buffer may be a window of a huge array: only the bytes from `first` on are
there, which is how 64-bit indexing is tested without the memory.
"""

from formats import PtxError

SPACE_BITS = 44
OFFSET_MASK = (1 << SPACE_BITS) - 1
SHARED, LOCAL, PARAM = 0xFFFF, 0xFFFE, 0xFFFD  # numbers of the windows of generic addresses
NEVER, IN_FLIGHT, NOBODY = 0, -1, -2  # writers of a byte: none; a cp.async in flight; it is in no variable


class Memory:
    """Device memory. `loaded` and `stored` count the bytes that kernels moved, per buffer, and
    `load_widths` and `store_widths` the accesses by their bytes."""

    def __init__(self):
        self.buffers, self.loaded, self.stored = {}, {}, {}
        self.load_widths, self.store_widths = {}, {}

    def alloc(self, data, first=0):
        """A buffer that holds `data`; gives the address of the array's first byte."""
        number = len(self.buffers) + 1
        self.buffers[number] = (bytearray(data), first)
        self.loaded[number] = self.stored[number] = 0
        return number << SPACE_BITS

    def count(self, number, count, is_write):
        moved, widths = (self.stored, self.store_widths) if is_write else (self.loaded, self.load_widths)
        moved[number] += count
        widths[count] = widths.get(count, 0) + 1

    def bytes(self, address):
        return bytes(self.buffers[address >> SPACE_BITS][0])

    def find(self, address, count):
        number = address >> SPACE_BITS
        if number not in self.buffers:
            raise PtxError(f"access of {count} bytes at 0x{address:x}, which is in no buffer")
        data, first = self.buffers[number]
        offset = (address & OFFSET_MASK) - first
        if offset < 0 or offset + count > len(data):
            raise PtxError(f"access of {count} bytes at offset {offset + first} of buffer {number}, "
                           f"which holds {first} to {first + len(data)}")
        if (offset + first) % count:
            raise PtxError(f"misaligned access of {count} bytes at offset {offset + first}")
        return data, offset


class Shared:
    """A block's shared memory. Bytes know who wrote and read them, and before which barrier.

    Two threads that touch a byte, one of them writing, without a barrier between are a race;
    reading a byte that nobody wrote is an error, too.
    """

    def __init__(self, size, gaps=()):
        self.data = bytearray(b"\xff" * size)
        self.writer, self.reader, self.changer = [NEVER] * size, [NEVER] * size, [NEVER] * size
        self.block_epoch, self.warp_epoch = 1, {}
        for first, end in gaps:
            self.writer[first:end] = [NOBODY] * (end - first)

    def tag(self, thread):
        """Who and when in one integer: block epoch, warp epoch, warp + 1, thread + 1."""
        warp = thread >> 5
        return self.block_epoch << 48 | self.warp_epoch.get(warp, 0) << 24 | warp + 1 << 12 | thread + 1

    @staticmethod
    def is_ordered(tag, mine):
        """Whether what `tag` did stands before what thread of `mine` does now."""
        if tag >> 48 < mine >> 48 or tag & 0xFFF == mine & 0xFFF:
            return True
        return tag >> 12 & 0xFFF == mine >> 12 & 0xFFF and tag >> 24 < mine >> 24

    @staticmethod
    def merged(tag, mine):
        """The tag of a byte's readers after one more of them."""
        if tag >> 48 < mine >> 48 or tag & 0xFFFFFF == mine & 0xFFFFFF:
            return mine
        if tag >> 12 & 0xFFF == mine >> 12 & 0xFFF:
            return mine | 0xFFF  # several of this warp
        return mine | 0xFFFFFF

    def find(self, offset, count):
        if offset + count > len(self.data):
            raise PtxError(f"access of {count} bytes at shared offset {offset}; "
                           f"the block has {len(self.data)}")
        if offset % count:
            raise PtxError(f"misaligned access of {count} bytes at shared offset {offset}")
        if NOBODY in self.writer[offset : offset + count]:
            raise PtxError(f"access of {count} bytes at shared offset {offset} is outside its variable")

    def check_read(self, offset, count, thread):
        self.find(offset, count)
        mine = self.tag(thread)
        place = slice(offset, offset + count)
        for tag in set(self.writer[place]) | set(self.changer[place]) - {NEVER}:
            if tag == NEVER:
                raise PtxError(f"shared memory at offset {offset} is read before it is written")
            if tag == IN_FLIGHT:
                raise PtxError(f"shared memory at offset {offset} is read while cp.async may still write it")
            if not self.is_ordered(tag, mine):
                raise PtxError(f"race: shared offset {offset}, written by thread {(tag & 0xFFF) - 1} "
                               f"and read by thread {thread} without a barrier between")
        readers = self.reader[offset : offset + count]
        self.reader[offset : offset + count] = [self.merged(tag, mine) for tag in readers]

    def check_write(self, offset, count, thread):
        self.find(offset, count)
        mine = self.tag(thread)
        place = slice(offset, offset + count)
        for tag in {*self.reader[place], *self.writer[place], *self.changer[place]}:
            if tag == IN_FLIGHT:
                raise PtxError(f"shared memory at offset {offset} is written while cp.async may still write it")
            if tag != NEVER and not self.is_ordered(tag, mine):
                raise PtxError(f"race: shared offset {offset} is written by thread {thread}, and used by "
                               "another without a barrier between")
        self.writer[offset : offset + count] = [mine] * count


    def check_atomic(self, offset, count, thread):
        """Atomics may meet one another, but nothing else."""
        self.find(offset, count)
        mine, place = self.tag(thread), slice(offset, offset + count)
        for tag in {*self.reader[place], *self.writer[place]}:
            if tag == NEVER and NEVER in self.writer[place]:
                raise PtxError(f"shared memory at offset {offset} is read before it is written")
            if tag == IN_FLIGHT or tag != NEVER and not self.is_ordered(tag, mine):
                raise PtxError(f"race: shared offset {offset} is changed by thread {thread} by an atomic, and "
                               "used by another without a barrier between")
        self.changer[place] = [self.merged(tag, mine) for tag in self.changer[place]]


class Thread:
    """One thread's registers and its way to memory."""

    __slots__ = ("R", "pc", "special", "params", "shared", "memory", "local", "lane", "number",
                 "open", "groups", "parked", "counts", "clock", "executed")

    def find(self, address, count, is_write, is_shared=False, is_atomic=False):
        """The bytes behind an address and the offset in them, checked."""
        space = SHARED if is_shared else address >> SPACE_BITS
        if space == SHARED:
            offset = address & 0xFFFFFFFF
            if is_atomic:
                self.shared.check_atomic(offset, count, self.number)
            elif is_write:
                self.shared.check_write(offset, count, self.number)
            else:
                self.shared.check_read(offset, count, self.number)
            return self.shared.data, offset
        if space in (LOCAL, PARAM):
            data, offset = (self.local if space == LOCAL else self.params), address & 0xFFFFFFFF
            if offset + count > len(data) or offset % count:
                raise PtxError(f"access of {count} bytes at offset {offset} of local memory or parameters")
            return data, offset
        data, offset = self.memory.find(address, count)
        self.memory.count(address >> SPACE_BITS, count, is_write)
        return data, offset

    def load(self, address, count, is_shared=False):
        data, offset = self.find(address, count, False, is_shared)
        return int.from_bytes(data[offset : offset + count], "little")

    def store(self, address, count, value, is_shared=False):
        data, offset = self.find(address, count, True, is_shared)
        data[offset : offset + count] = (value & ((1 << 8 * count) - 1)).to_bytes(count, "little")

    def atomic(self, address, count, change, is_shared=False):
        """Replaces a value by change(value); gives the old one."""
        data, offset = self.find(address, count, False, is_shared, True)
        old = int.from_bytes(data[offset : offset + count], "little")
        data[offset : offset + count] = (change(old) & ((1 << 8 * count) - 1)).to_bytes(count, "little")
        return old

    def copy_async(self, target, source, count, source_count):
        """cp.async: carried out as late as allowed, at the wait."""
        self.shared.check_write(target & 0xFFFFFFFF, count, self.number)
        offset = target & 0xFFFFFFFF
        self.shared.writer[offset : offset + count] = [IN_FLIGHT] * count
        source_count = count if source_count is None else source_count
        if source_count:
            self.memory.find(source, count)
        self.open.append((offset, source, count, source_count))
        self.counts["cp.async"] = self.counts.get("cp.async", 0) + 1

    def commit(self):
        self.groups.append(self.open)
        self.open = []

    def wait(self, keep):
        """Completes all groups but the newest `keep`."""
        while len(self.groups) > keep:
            for offset, source, count, source_count in self.groups.pop(0):
                self.shared.data[offset : offset + count] = bytes(count)
                if source_count:
                    data, start = self.find(source, source_count, False)
                    self.shared.data[offset : offset + source_count] = data[start : start + source_count]
                self.shared.writer[offset : offset + count] = [self.shared.tag(self.number)] * count

    def tick(self):
        """%clock64 and %globaltimer: a counter, so that what waits for time comes to an end."""
        self.clock[0] += 1000
        return self.clock[0]
