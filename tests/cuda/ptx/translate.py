"""Instructions to lines of Python: operands, addresses, flow, moves, loads and stores.

A line works on T (the thread) and R (its registers' bit patterns). Arithmetic is in arithmetic.py.
"""

import re

from formats import PtxError, is_float, width_of
from memory import LOCAL, PARAM, SHARED, SPACE_BITS

SPECIAL = ("tid", "ntid", "ctaid", "nctaid", "laneid", "warpid", "smid", "nsmid", "dynamic_smem_size",
           "total_smem_size", "lanemask_eq", "lanemask_lt", "lanemask_le", "lanemask_gt", "lanemask_ge")
CLOCKS = {"clock": 0xFFFFFFFF, "clock_hi": 0, "clock64": None, "globaltimer": None, "globaltimer_lo": 0xFFFFFFFF}
# Without meaning where one thread runs at a time: hints, fences, waiting.
NOTHING = ("membar", "fence", "prefetch", "prefetchu", "pmevent", "nanosleep", "applypriority", "discard")
UNORDERED = {"equ": "ne", "neu": "eq", "ltu": "ge", "leu": "gt", "gtu": "le", "geu": "lt"}
COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
           "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}


class Operands:
    """The names of one kernel, and how an operand of it reads in Python."""

    def __init__(self, source, variables, constants):
        self.source, self.variables, self.constants = source, variables, constants
        self.parameters, offset = {}, 0
        for name, size, alignment in source.parameters:
            offset = -(-offset // alignment) * alignment
            self.parameters[name] = offset
            offset += size
        self.parameter_bytes = offset

    def register(self, name):
        if name not in self.source.registers:
            raise PtxError(f"{name} is no register")
        return f"R[{self.source.registers[name]}]"

    def bits(self, text, kind="u64"):
        """An operand as a bit pattern."""
        if text in self.source.registers:
            return self.register(text)
        if text[0] == "%":
            base = text[1:].split(".")[0]
            if base in SPECIAL:
                return f"T.special['{text[1:]}']"
            if base in CLOCKS:
                mask = CLOCKS[base]
                return "T.tick()" if mask is None else f"(T.tick() & {mask})"
        if text[:2] in ("0f", "0F", "0d", "0D"):
            return str(int(text[2:], 16))
        if text in self.source.shared:
            return f"T.special['shared {text}']"
        if text in self.source.local:
            return str(self.source.local[text])
        if text in self.variables:
            return f"T.special['variable {text}']"
        if text in self.parameters:
            return str(PARAM << SPACE_BITS | self.parameters[text])
        number = re.fullmatch(r"([-+]?(?:0[xX][0-9a-fA-F]+|\d+))U?", text)
        if not number:
            raise PtxError(f"operand {text} is not known")
        if kind == "pred":
            return str(int(int(number[1], 0) != 0))
        return str(int(number[1], 0) & ((1 << max(width_of(kind), 8)) - 1))

    def value(self, text, kind):
        """An operand as a number of its type."""
        if text[0] == "!":
            return f"(1 - {self.bits(text[1:], kind)})"
        bits = self.bits(text, kind)
        if kind == "pred":
            return bits
        if is_float(kind):
            return f"{kind}({bits})"
        if kind[0] == "s":
            return f"signed({bits}, {width_of(kind)})"
        return f"({bits} & {(1 << width_of(kind)) - 1})"

    def assign(self, target, kind, expression):
        """register <- number of a type."""
        if target == "_":
            return []
        if kind == "pred":
            encoded = f"int({expression})"
        elif is_float(kind):
            encoded = f"to_{kind}({expression})"
        else:
            encoded = f"({expression}) & {(1 << width_of(kind)) - 1}"
        return [f"{self.register(target)} = {encoded}"]

    def address(self, text):
        """(base operand, offset) of [base+offset]."""
        match = re.fullmatch(r"\[\s*([^\s+\]]+?)\s*(?:\+\s*(-?\w+))?\s*\]", text)
        if not match:
            raise PtxError(f"address {text} is not understood")
        return match[1], int(match[2] or "0", 0)

    def address_bits(self, text, parts):
        base, offset = self.address(text)
        bits = self.bits(base)
        if "local" in parts and base not in self.variables:
            bits = f"({bits} | {LOCAL << SPACE_BITS})"
        return f"{bits} + {offset}" if offset else bits


def vector(text):
    return [v.strip() for v in text[1:-1].split(",")] if text[0] == "<" else [text]


def space_of(parts):
    return any(p == "shared" or p.startswith("shared::") for p in parts)


def load(o, i):
    kind, targets = i.parts[-1], vector(i.operands[0])
    size, is_shared = width_of(kind) // 8, space_of(i.parts)
    whole = size * len(targets)
    base, offset = o.address(i.operands[1])
    if "param" in i.parts and base in o.parameters:
        address = str((PARAM << SPACE_BITS) + o.parameters[base] + offset)
    else:
        address = o.address_bits(i.operands[1], i.parts)
    out = [f"v = T.load({address}, {whole}, {is_shared})"]
    for k, target in enumerate(targets):
        if target == "_":
            continue
        bits = f"v >> {8 * size * k} & {(1 << 8 * size) - 1}" if len(targets) > 1 else "v"
        if kind[0] == "s" and size < 8:
            bits = f"signed({bits}, {8 * size}) & 0xffffffffffffffff"
        out.append(f"{o.register(target)} = {bits}")
    return out


def store(o, i):
    kind, values = i.parts[-1], vector(i.operands[1])
    size, mask = width_of(kind) // 8, (1 << width_of(kind)) - 1
    bits = " | ".join(f"({o.bits(v, kind)} & {mask}) << {8 * size * k}" for k, v in enumerate(values))
    return [f"T.store({o.address_bits(i.operands[0], i.parts)}, {size * len(values)}, {bits}, {space_of(i.parts)})"]


ATOMIC = {"add": "{o} + {b}", "min": "min({o}, {b})", "max": "max({o}, {b})", "exch": "{b}", "and": "{o} & {b}",
          "or": "{o} | {b}", "xor": "{o} ^ {b}", "cas": "{c} if {o} == {b} else {o}",
          "inc": "0 if {o} >= {b} else {o} + 1", "dec": "{b} if {o} == 0 or {o} > {b} else {o} - 1"}


def atomic(o, i):
    operands = i.operands if i.parts[0] == "atom" else ["_", *i.operands]
    kind = i.parts[-1]
    name = next(p for p in i.parts if p in ATOMIC)
    old = f"{kind}(x)" if is_float(kind) else f"signed(x, {width_of(kind)})" if kind[0] == "s" else "x"
    third = o.value(operands[3], kind) if name == "cas" else None
    new = ATOMIC[name].format(o=old, b=o.value(operands[2], kind), c=third)
    new = f"to_{kind}({new})" if is_float(kind) else new
    call = (f"T.atomic({o.address_bits(operands[1], i.parts)}, {width_of(kind) // 8}, lambda x: {new}, "
            f"{space_of(i.parts)})")
    return [call if operands[0] == "_" else f"{o.register(operands[0])} = {call}"]


def copy_async(o, i):
    if "commit_group" in i.parts:
        return ["T.commit()"]
    if "wait_all" in i.parts:
        return ["T.commit()", "T.wait(0)"]
    if "wait_group" in i.parts:
        return [f"T.wait({int(i.operands[0], 0)})"]
    if "mbarrier" in i.parts or "bulk" in i.parts:
        raise PtxError("not supported")
    has_policy = "L2::cache_hint" in i.parts
    sizes = i.operands[3 : len(i.operands) - has_policy]
    return [f"T.copy_async({o.address_bits(i.operands[0], [])}, {o.address_bits(i.operands[1], [])}, "
            f"{int(i.operands[2], 0)}, {o.bits(sizes[0]) if sizes else None})"]


def convert_address(o, i):
    bits, target = o.bits(i.operands[1]), o.register(i.operands[0])
    if "global" in i.parts or "const" in i.parts or "param" in i.parts:
        return [f"{target} = {bits}"]
    if "to" in i.parts:
        return [f"{target} = {bits} & 0xffffffff"]
    space = SHARED if space_of(i.parts) else LOCAL
    return [f"{target} = {bits} | {space << SPACE_BITS}"]


def move(o, i):
    kind, (target, value) = i.parts[-1], i.operands
    if target[0] == "<":
        names = vector(target)
        width = width_of(kind) // len(names)
        return [f"v = {o.bits(value)}"] + [f"{o.register(n)} = v >> {k * width} & {(1 << width) - 1}"
                                           for k, n in enumerate(names) if n != "_"]
    if value[0] == "<":
        names = vector(value)
        width = width_of(kind) // len(names)
        return [f"{o.register(target)} = " + " | ".join(f"({o.bits(n)} & {(1 << width) - 1}) << {k * width}"
                                                        for k, n in enumerate(names))]
    return [f"{o.register(target)} = {o.value(value, 'pred') if kind == 'pred' else o.bits(value, kind)}"]


def compare(o, i):
    kind, relation = i.parts[-1], i.parts[1]
    a, b = o.value(i.operands[1], kind), o.value(i.operands[2], kind)
    if relation in ("num", "nan"):
        test = f"({a} == {a} and {b} == {b})"
        test = test if relation == "num" else f"(not {test})"
    elif relation in UNORDERED:
        reverse = UNORDERED[relation]
        test = f"({a} != {b})" if relation == "neu" else f"(not ({ordered(a, reverse, b, kind)}))"
    else:
        test = f"({ordered(a, relation, b, kind)})"
    combine = {"and": "&", "or": "|", "xor": "^"}.get(i.parts[2])
    if combine:
        test = f"(bool({test}) {combine} bool({o.value(i.operands[3], 'pred')}))"
    targets = i.operands[0].split("|")
    out = [f"v = {test}"] + o.assign(targets[0], "pred", "v")
    return out + (o.assign(targets[1], "pred", "not v") if len(targets) > 1 else [])


def ordered(a, relation, b, kind):
    """A comparison that a NaN fails."""
    if relation == "ne" and is_float(kind):
        return f"{a} < {b} or {a} > {b}"
    return f"{a} {COMPARE[relation]} {b}"


def select(o, i):
    kind = i.parts[-1]
    a, b = o.bits(i.operands[1], kind), o.bits(i.operands[2], kind)
    return [f"{o.register(i.operands[0])} = {a} if {o.bits(i.operands[3])} else {b}"]


def branch(o, i, labels):
    if i.parts[0] == "bra":
        if i.operands[0] not in labels:
            raise PtxError(f"label {i.operands[0]} is missing")
        return [f"return {labels[i.operands[0]]}"]
    targets = ", ".join(str(labels[name]) for name in o.source.tables[i.operands[1]])
    return [f"return ({targets},)[{o.bits(i.operands[0])}]"]


MEMORY = {"ld": load, "ldu": load, "st": store, "atom": atomic, "red": atomic, "cvta": convert_address,
          "mov": move, "setp": compare, "selp": select}


def translate(o, i, labels, arithmetic):
    """The lines of one instruction."""
    name = i.parts[0]
    if name in ("bra", "brx"):
        out = branch(o, i, labels)
    elif name in ("ret", "exit"):
        out = ["return -1"]
    elif name == "trap":
        out = ["raise PtxError('trap')"]
    elif name in NOTHING or i.name.startswith("griddepcontrol"):
        out = []
    elif name == "createpolicy":
        out = [f"{o.register(i.operands[0])} = 0"]
    elif name == "cp":
        if i.parts[1] != "async":
            raise PtxError("not supported")
        out = copy_async(o, i)
    elif name in MEMORY:
        out = MEMORY[name](o, i)
    else:
        out = arithmetic(o, i)
    if i.guard is None:
        return out
    guard = o.value(i.guard, "pred")
    return [f"if {guard}:"] + ["  " + line for line in out or ["pass"]]
