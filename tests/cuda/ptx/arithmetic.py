"""Arithmetic, logic and conversions, one line of Python each."""

from formats import PtxError, is_float, width_of

FLOAT = {
    "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "divide({0}, {1})", "neg": "-({0})",
    "abs": "abs({0})", "min": "least({0}, {1})", "max": "greatest({0}, {1})", "sqrt": "square_root({0})",
    "rsqrt": "reciprocal_root({0})", "rcp": "divide(1.0, {0})", "ex2": "power_of_two({0})",
    "lg2": "logarithm({0})", "tanh": "math.tanh({0})", "sin": "math.sin({0})", "cos": "math.cos({0})",
    "copysign": "math.copysign({1}, {0})",
}
INTEGER = {
    "add": "{0} + {1}", "sub": "{0} - {1}", "div": "integer_divide({0}, {1})",
    "rem": "{0} - integer_divide({0}, {1}) * {1}", "neg": "-({0})", "abs": "abs({0})",
    "min": "min({0}, {1})", "max": "max({0}, {1})", "and": "{0} & {1}", "or": "{0} | {1}",
    "xor": "{0} ^ {1}", "not": "~({0})", "popc": "({0}).bit_count()", "cnot": "int({0} == 0)",
}
PREDICATE = {"and": "{0} & {1}", "or": "{0} | {1}", "xor": "{0} ^ {1}", "not": "1 - {0}", "mov": "{0}"}
ROUNDING = ("rz", "rm", "rp", "rna", "rs")


def arithmetic(o, i):
    """The lines of any instruction that is not flow, memory or a move."""
    name, kind = i.parts[0], i.parts[-1]
    if name in SPECIAL:
        return SPECIAL[name](o, i)
    if any(p in ROUNDING for p in i.parts[1:-1]):
        raise PtxError("this rounding is not supported")
    if kind == "pred":
        values = [o.value(t, kind) for t in i.operands[1:]]
        return o.assign(i.operands[0], kind, PREDICATE[name].format(*values))
    if kind in ("f16x2", "bf16x2"):
        return packed(o, i)
    if is_float(kind):
        expression = float_expression(name, kind, [o.value(t, kind) for t in i.operands[1:]])
        return o.assign(i.operands[0], kind, finished(i, kind, expression))
    if name not in INTEGER:
        raise PtxError("instruction is not supported")
    values = [o.value(t, kind) for t in i.operands[1:]]
    return o.assign(i.operands[0], "u32" if name == "popc" else kind, INTEGER[name].format(*values))


def finished(i, kind, expression):
    """Modifiers of a float result: .sat, .relu, .ftz."""
    if "sat" in i.parts:
        expression = f"least(greatest({expression}, 0.0), 1.0)"
    if "relu" in i.parts:
        expression = f"greatest({expression}, 0.0)"
    if "ftz" in i.parts and kind == "f32":
        expression = f"flushed({expression})"
    return expression


def float_expression(name, kind, values):
    if name in ("fma", "mad"):
        return f"{'fma_f64' if kind == 'f64' else 'fma_short'}({', '.join(values)})"
    if name not in FLOAT:
        raise PtxError("instruction is not supported")
    return FLOAT[name].format(*values)


def packed(o, i):
    """Two halves of a register, each by itself."""
    name, kind = i.parts[0], i.parts[-1][:-2]
    halves = []
    for shift in (0, 16):
        values = [f"{kind}({o.bits(t)} >> {shift})" for t in i.operands[1:]]
        halves.append(f"to_{kind}({finished(i, kind, float_expression(name, kind, values))}) << {shift}")
    return [f"{o.register(i.operands[0])} = {' | '.join(halves)}"]


def multiply(o, i):
    """mul and mad of integers; floats go the usual way."""
    name, kind = i.parts[0], i.parts[-1]
    if is_float(kind):
        if kind.endswith("x2"):
            return packed(o, i)
        values = [o.value(t, kind) for t in i.operands[1:]]
        return o.assign(i.operands[0], kind, finished(i, kind, float_expression(name, kind, values)))
    width = width_of(kind)
    result = kind[0] + str(2 * width) if "wide" in i.parts else kind
    product = f"{o.value(i.operands[1], kind)} * {o.value(i.operands[2], kind)}"
    if "hi" in i.parts:
        product = f"({product} >> {width})"
    return o.assign(i.operands[0], result, product + (f" + {o.value(i.operands[3], result)}" if name == "mad" else ""))


def shift(o, i):
    kind, width = i.parts[-1], width_of(i.parts[-1])
    sign = "<<" if i.parts[0] == "shl" else ">>"
    return o.assign(i.operands[0], kind,
                    f"{o.value(i.operands[1], kind)} {sign} min({o.bits(i.operands[2], 'u32')}, {width})")


def funnel(o, i):
    low, high, count = (o.bits(t, "u32") for t in i.operands[1:])
    amount = f"min({count}, 32)" if "clamp" in i.parts else f"({count} & 31)"
    both = f"({high} << 32 | {low})"
    if i.parts[1] == "l":
        return o.assign(i.operands[0], "b32", f"{both} << {amount} >> 32")
    return o.assign(i.operands[0], "b32", f"{both} >> {amount}")


def logic_of_three(o, i):
    table = int(i.operands[4], 0)
    values = [o.bits(t, "u32") for t in i.operands[1:4]]
    terms = ["(" + " & ".join(v if row >> (2 - k) & 1 else f"~{v}" for k, v in enumerate(values)) + ")"
             for row in range(8) if table >> row & 1]
    return o.assign(i.operands[0], "b32", " | ".join(terms) or "0")


def permute(o, i):
    if len(i.parts) > 2:
        raise PtxError("this mode is not supported")
    a, b, selector = (o.bits(t, "u32") for t in i.operands[1:])
    return [f"{o.register(i.operands[0])} = permuted({a}, {b}, {selector})"]


def extract(o, i):
    kind = i.parts[-1]
    value, start, count = (o.bits(t, "u32") for t in i.operands[1:])
    if kind[0] == "s":
        return o.assign(i.operands[0], kind, f"signed({o.value(i.operands[1], kind)} >> {start}, {count}) if {count} else 0")
    return o.assign(i.operands[0], kind, f"{value} >> {start} & ((1 << {count}) - 1)")


def insert(o, i):
    value, into, start, count = (o.bits(t, "u32") for t in i.operands[1:])
    mask = f"(((1 << {count}) - 1) << {start})"
    return o.assign(i.operands[0], i.parts[-1], f"{into} & ~{mask} | {value} << {start} & {mask}")


def leading_zeros(o, i):
    kind = i.parts[-1]
    return o.assign(i.operands[0], "u32", f"{width_of(kind)} - {o.value(i.operands[1], kind)}.bit_length()")


def reverse(o, i):
    width = width_of(i.parts[-1])
    return o.assign(i.operands[0], i.parts[-1],
                    f"int(format({o.value(i.operands[1], i.parts[-1])}, '0{width}b')[::-1], 2)")


def dot_product(o, i):
    """dp4a: four bytes times four bytes, added; dp2a: two halves times two bytes, .lo or .hi."""
    kinds, halves = i.parts[-2:], i.parts[0] == "dp2a"
    first = 2 if "hi" in i.parts else 0
    terms = [f"{piece(o.bits(i.operands[1]), kinds[0], n, 16 if halves else 8)} * "
             f"{piece(o.bits(i.operands[2]), kinds[1], first + n, 8)}" for n in range(2 if halves else 4)]
    return o.assign(i.operands[0], "u32", " + ".join([*terms, o.bits(i.operands[3], "u32")]))


def piece(bits, kind, number, width):
    """Bits of a register: part `number` of so many bits, signed if the kind is."""
    part = f"({bits} >> {width * number} & {(1 << width) - 1})"
    return f"signed({part}, {width})" if kind[0] == "s" else part


def convert(o, i):
    """cvt.MODE.TO.FROM; two sources for a packed result."""
    to, source = i.parts[-2:]
    target = i.operands[0]
    if to.endswith("x2"):
        return convert_packed(o, i, to[:-2], source)
    value = o.value(i.operands[1], source)
    mode = next((p for p in i.parts if p in ("rzi", "rni", "rmi", "rpi")), None)
    if any(p in ("rz", "rm", "rp") for p in i.parts[1:-2]):
        raise PtxError("this rounding is not supported")
    if is_float(source) and not is_float(to):
        if mode is None:
            raise PtxError("a rounding is missing")
        return o.assign(target, to, f"to_integer({value}, {width_of(to)}, {to[0] == 's'}, '{mode}')")
    if is_float(to):
        if not is_float(source):
            value = f"odd_integer({value})"
        elif mode:
            value = f"round_float({value}, '{mode}')"
        return o.assign(target, to, finished(i, to, value))
    if "sat" in i.parts:
        low, high = (-(1 << (width_of(to) - 1)), (1 << (width_of(to) - 1)) - 1) if to[0] == "s" else (
            0, (1 << width_of(to)) - 1)
        value = f"min(max({value}, {low}), {high})"
    return o.assign(target, to, value)


def convert_packed(o, i, to, source):
    """The first source becomes the upper half."""
    target, shift = i.operands[0], width_of(to)
    if source.endswith("x2"):  # from a packed register, as cvt.rn.f16x2.e4m3x2
        kind, step = source[:-2], width_of(source[:-2])
        high, low = f"{kind}({o.bits(i.operands[1])} >> {step})", f"{kind}({o.bits(i.operands[1])})"
    else:
        high, low = o.value(i.operands[1], source), o.value(i.operands[2], source)
    return [f"{o.register(target)} = to_{to}({finished(i, to, low)}) | to_{to}({finished(i, to, high)}) << {shift}"]


SPECIAL = {"mul": multiply, "mad": multiply, "shl": shift, "shr": shift, "shf": funnel, "lop3": logic_of_three,
           "prmt": permute, "bfe": extract, "bfi": insert, "clz": leading_zeros, "brev": reverse,
           "dp4a": dot_product, "dp2a": dot_product, "cvt": convert}
