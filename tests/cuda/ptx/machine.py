"""Runs kernels: compiled straight-line pieces, threads that take turns, parked where they act together.

Every straight-line piece of a kernel becomes one Python function. Blocks run one after another,
threads of a block until they park. Raises PtxError with the line of the PTX for any misuse.
"""

import math

import formats
from arithmetic import arithmetic
from formats import PtxError
from memory import SHARED, SPACE_BITS, Memory, Shared, Thread
from parse import parse_module
from translate import Operands, translate
from warp import TOGETHER, Together

__all__ = ["Memory", "Module", "PtxError"]
MOST_PIECES = 400_000  # run by one thread without a stop: more is a loop without an end
NAMES = {**vars(formats), "math": math}
FLOW = ("bra", "brx", "ret", "exit")


class Piece:
    """Straight-line code, or one instruction that threads do together."""

    def __init__(self, instructions, run=None, together=None, lines=()):
        self.instructions, self.run, self.together, self.lines = instructions, run, together, lines


class Kernel:
    def __init__(self, source, variables):
        self.source, self.variables = source, variables
        self.operands = Operands(source, variables, {})
        starts = {0, *source.labels.values()}
        for k, i in enumerate(source.instructions):
            if i.parts[0] in TOGETHER:
                starts |= {k, k + 1}
                if i.guard is not None:
                    raise PtxError(f"line {i.line}: a guarded {i.name} is not supported")
            elif i.parts[0] in FLOW:
                starts.add(k + 1)
        order = sorted(s for s in starts if s < len(source.instructions))
        index = {start: k for k, start in enumerate(order)}
        labels = {name: index.get(start, len(order)) for name, start in source.labels.items()}
        ends = [*order[1:], len(source.instructions)]
        self.pieces = [self.compile(source.instructions[a:b], k + 1, labels)
                       for k, (a, b) in enumerate(zip(order, ends))]

    def compile(self, instructions, following, labels):
        if instructions[0].parts[0] in TOGETHER:
            return Piece(instructions, together=located(instructions[0], lambda i: Together(self.operands, i)))
        code, lines = ["def piece(T, R):"], [None]
        for i in instructions:
            new = located(i, lambda x: translate(self.operands, x, labels, arithmetic))
            code += new
            lines += [i] * len(new)
        names = dict(NAMES)
        exec("\n ".join([*code, f"return {following}"]), names)  # our own text, from translate.py
        return Piece(instructions, run=names["piece"], lines=lines)


def located(i, action):
    """Errors get the line of the PTX."""
    try:
        return action(i)
    except (KeyError, IndexError, ValueError, PtxError) as error:
        raise PtxError(f"line {i.line}: {error}: {i.text}") from None


class Module:
    """A PTX file. counts: what was executed, by operation and type, of all launches so far."""

    def __init__(self, text, name="PTX"):
        self.version, self.target, self.sources, self.variables = parse_module(text)
        self.name, self.counts, self.kernels = name, {}, {}

    def find(self, *words):
        """The one kernel in whose mangled name all words stand."""
        found = [name for name in self.sources if all(w in name for w in words)]
        if len(found) != 1:
            raise PtxError(f"{self.name}: {len(found)} kernels have {words} in their names, not one")
        return found[0]

    def launch(self, name, memory, grid, block, arguments, dynamic_shared=0, blocks=None, is_reversed=False):
        """arguments: an int (bits) or bytes each. blocks: which (x, y, z) of the grid run; default all."""
        if name not in self.kernels:
            self.kernels[name] = Kernel(self.sources[name], self.variables)
        Launch(self, self.kernels[name], memory, grid, block, arguments, dynamic_shared).run(blocks, is_reversed)


class Launch:
    def __init__(self, module, kernel, memory, grid, block, arguments, dynamic_shared):
        self.module, self.kernel, self.memory = module, kernel, memory
        self.grid, self.block = (*grid, 1, 1)[:3], (*block, 1, 1)[:3]
        self.threads = self.block[0] * self.block[1] * self.block[2]
        if self.threads > 1024:
            raise PtxError(f"{self.threads} threads in a block; 1024 are possible")
        self.params = self.pack(arguments)
        static = -(-kernel.source.shared_bytes // 16) * 16
        self.shared_bytes = static + dynamic_shared
        self.special = {"dynamic_smem_size": dynamic_shared, "total_smem_size": self.shared_bytes, "smid": 0,
                        "nsmid": 1}
        for axis, block_size, grid_size in zip("xyz", self.block, self.grid):
            self.special[f"ntid.{axis}"], self.special[f"nctaid.{axis}"] = block_size, grid_size
        for name, offset in kernel.source.shared.items():
            self.special[f"shared {name}"] = static if offset is None else offset
        for name, data in kernel.variables.items():
            self.special[f"variable {name}"] = self.variable(name, data)
        self.clock, self.executed = [1 << 40], [0] * len(kernel.pieces)

    def variable(self, name, data):
        """A variable of the module lives in the memory of its first launch."""
        places = self.memory.__dict__.setdefault("variables", {})
        if name not in places:
            places[name] = self.memory.alloc(data)
        return places[name]

    def pack(self, arguments):
        source = self.kernel.source
        if len(arguments) != len(source.parameters):
            raise PtxError(f"{source.name} takes {len(source.parameters)} arguments, not {len(arguments)}")
        data = bytearray(self.kernel.operands.parameter_bytes)
        for (name, size, _), argument in zip(source.parameters, arguments):
            offset = self.kernel.operands.parameters[name]
            if isinstance(argument, int):
                argument = (argument & ((1 << 8 * size) - 1)).to_bytes(size, "little")
            if len(argument) != size:
                raise PtxError(f"argument {name} has {len(argument)} bytes, not {size}")
            data[offset : offset + size] = argument
        return data

    def run(self, blocks, is_reversed):
        x, y, z = self.grid
        chosen = blocks or [(i, j, k) for k in range(z) for j in range(y) for i in range(x)]
        for block in reversed(chosen) if is_reversed else chosen:
            self.run_block(block, is_reversed)
        for piece, times in zip(self.kernel.pieces, self.executed):
            for i in piece.instructions if times else ():
                kind = f"{i.parts[0]}.{i.parts[-1]}"
                self.module.counts[kind] = self.module.counts.get(kind, 0) + times

    def thread(self, number, block, shared):
        t = Thread()
        t.R, t.pc, t.parked = [None] * len(self.kernel.source.registers), 0, None
        t.params, t.shared, t.memory, t.clock, t.counts = self.params, shared, self.memory, self.clock, self.module.counts
        t.local, t.open, t.groups = bytearray(self.kernel.source.local_bytes), [], []
        t.number, t.lane = number, number & 31
        bx, by, _ = self.block
        place = {"tid.x": number % bx, "tid.y": number // bx % by, "tid.z": number // (bx * by), "laneid": t.lane,
                 "ctaid.x": block[0], "ctaid.y": block[1], "ctaid.z": block[2], "warpid": number >> 5,
                 "lanemask_eq": 1 << t.lane, "lanemask_lt": (1 << t.lane) - 1,
                 "lanemask_le": (2 << t.lane) - 1, "lanemask_ge": 0xFFFFFFFF & -(1 << t.lane),
                 "lanemask_gt": 0xFFFFFFFF & -(2 << t.lane)}
        t.special = {**self.special, **place}
        return t

    def run_block(self, block, is_reversed):
        shared = Shared(self.shared_bytes, self.kernel.source.shared_gaps)
        threads = [self.thread(n, block, shared) for n in range(self.threads)]
        live, budget = threads, MOST_PIECES * 160
        while live:
            for t in reversed(live) if is_reversed else live:
                if t.parked is None:
                    budget -= self.advance(t, block)
            if budget < 0:
                raise PtxError(f"block {block} does not come to an end")
            live = [t for t in live if t.pc >= 0]
            if not live or self.release_warps(live, shared):
                continue
            self.release_block(live, block, shared)

    def advance(self, t, block):
        """Runs one thread until it parks or ends; gives the number of pieces."""
        pieces, executed, steps = self.kernel.pieces, self.executed, 0
        while 0 <= t.pc < len(pieces):
            piece = pieces[t.pc]
            executed[t.pc] += 1
            steps += 1
            if piece.together:
                t.parked = piece.together
                return steps
            if steps > MOST_PIECES:
                raise PtxError(f"line {piece.instructions[0].line}: thread {t.number} does not come to an end")
            try:
                t.pc = piece.run(t, t.R)
            except (PtxError, TypeError, formats.struct.error, KeyError) as error:
                raise PtxError(self.explain(error, piece, block, t)) from None
        t.pc = -1
        return steps

    @staticmethod
    def explain(error, piece, block, t):
        trace, line = error.__traceback__, 0
        while trace:
            if trace.tb_frame.f_code.co_name == "piece":
                line = trace.tb_lineno - 1
            trace = trace.tb_next
        i = piece.lines[line] if line < len(piece.lines) and piece.lines[line] else piece.instructions[0]
        what = error if isinstance(error, PtxError) else "a register is read that was never written"
        return f"line {i.line}: {what}; block {block} thread {t.number}: {i.text}"

    def release_warps(self, live, shared):
        """Carries out all warp operations whose lanes have come; whether there was one."""
        waiting = {}
        for t in live:
            if t.parked.scope == "warp":
                waiting.setdefault((t.number >> 5, t.pc), []).append(t)
        moved = False
        for (warp, _), lanes in waiting.items():
            together = lanes[0].parked
            everyone = (1 << min(32, self.threads - 32 * warp)) - 1
            have, needed = sum(1 << t.lane for t in lanes), together.needed(lanes[0]) & everyone
            if needed & ~have:
                continue
            lanes = [t for t in lanes if needed >> t.lane & 1]
            if together.kind in ("mma", "ldmatrix") and len(lanes) != 32:
                raise PtxError(f"line {together.line}: {together.name} needs a whole warp")
            self.carry_out(together, lanes)
            if together.kind == "warp barrier":
                shared.warp_epoch[warp] = shared.warp_epoch.get(warp, 0) + 1
            for t in lanes:
                t.parked, t.pc, moved = None, t.pc + 1, True
        return moved

    @staticmethod
    def carry_out(together, threads):
        try:
            together.run(threads)
        except (TypeError, formats.struct.error) as error:
            raise PtxError(f"line {together.line}: {together.name} reads a register that was never written "
                           f"({error})") from None
        except PtxError as error:
            raise PtxError(f"line {together.line}: {error}: {together.name}") from None

    def release_block(self, live, block, shared):
        lines = sorted({t.parked.line for t in live})
        names = ", ".join(f"line {t.parked.line}: {t.parked.name}" for t in live[:1])
        if any(t.parked.scope != "block" for t in live):
            stuck = next(t for t in live if t.parked.scope != "block")
            raise PtxError(f"line {stuck.parked.line}: {stuck.parked.name} waits for lanes that never come; "
                           f"block {block} thread {stuck.number}")
        if len({t.pc for t in live}) > 1:
            raise PtxError(f"divergent barrier: threads of block {block} wait in lines {lines}")
        if len(live) != self.threads:
            raise PtxError(f"divergent barrier, {names}: {self.threads - len(live)} threads of block {block} "
                           "have ended before it")
        if live[0].parked.run:
            self.carry_out(live[0].parked, live)
        shared.block_epoch += 1
        for t in live:
            t.parked, t.pc = None, t.pc + 1
