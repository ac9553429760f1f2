"""PTX text to kernels: parameters, registers, shared and local variables, instructions with their lines."""

import re

from formats import PtxError, width_of


GAP = 128  # bytes behind each shared variable; all banks once, so that no conflict changes


class Instruction:
    """One instruction: its guard (or None), operation, parts of that between dots, operands, line."""

    __slots__ = ("guard", "name", "parts", "operands", "line", "text")

    def __init__(self, text, line):
        self.text, self.line, self.guard = text, line, None
        if text[0] == "@":
            self.guard, text = text[1:].split(None, 1)
        self.name, _, rest = text.partition(" ")
        self.parts = self.name.split(".")
        self.operands = split_operands(rest)


class Source:
    """One kernel as parsed."""

    def __init__(self, name):
        self.name = name
        self.parameters = []  # (name, bytes, alignment)
        self.registers = {}  # name: number
        self.shared, self.shared_bytes = {}, 0  # name: offset, None for the dynamic array
        self.shared_gaps = []  # (first, end) of bytes between variables, which nothing may touch
        self.local, self.local_bytes = {}, 0
        self.labels, self.tables, self.instructions = {}, {}, []


def split_operands(text):
    """At the commas that stand outside of brackets."""
    out, depth, current = [], 0, ""
    for character in text:
        depth += (character in "<[(") - (character in ">])")
        if character == "," and depth == 0:
            out.append(current.strip())
            current = ""
        else:
            current += character
    return out + [current.strip()] if current.strip() else out


def without_comments(text):
    """Comments and .loc lines become blanks: line numbers stay."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])

    text = re.sub(r"/\*.*?\*/|//[^\n]*", blank, text, flags=re.DOTALL)
    return re.sub(r"^\s*\.(loc|file|section)\b[^\n]*", blank, text, flags=re.MULTILINE)


def parse_parameters(text):
    out = []
    for parameter in (p for p in text.split(",") if p.strip()):
        kind = re.search(r"\.param\s+(?:\.align\s+(\d+)\s+)?\.(\w+)", parameter)
        name = re.search(r"([\w$]+)\s*(?:\[(\d+)\])?\s*$", parameter)
        size = width_of(kind[2]) // 8 * int(name[2] or 1)
        out.append((name[1], size, int(kind[1] or size)))
    return out


def declare_variable(source, statement):
    """A shared or local variable of a kernel; whether the statement was one."""
    match = re.match(r"\.(shared|local)\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+([\w$]+)((?:\[\d+\])*)$", statement)
    if not match:
        return False
    size = width_of(match[3]) // 8
    for count in re.findall(r"\d+", match[5]):
        size *= int(count)
    alignment, space = int(match[2] or width_of(match[3]) // 8), match[1]
    names = source.shared if space == "shared" else source.local
    used = source.shared_bytes if space == "shared" else source.local_bytes
    names[match[4]] = used = -(-used // alignment) * alignment
    if space == "shared":
        source.shared_gaps.append((used + size, -(-(used + size) // GAP) * GAP + GAP))
        source.shared_bytes = source.shared_gaps[-1][1]
    else:
        source.local_bytes = used + size
    return True


def declare(source, statement):
    """A directive inside a kernel's body."""
    if declare_variable(source, statement):
        return
    match = re.match(r"\.reg\s*\.\w+\s+(.*)", statement)
    if not match:
        return  # .pragma and the like
    for name in (n.strip() for n in match[1].split(",")):
        many = re.match(r"(%?[\w$]+)<(\d+)>", name)
        for register in [f"{many[1]}{i}" for i in range(int(many[2]))] if many else [name]:
            source.registers.setdefault(register, len(source.registers))


def statements(body, first_line):
    """(text, line) of all statements. Vectors of operands are in <> from here on, not in {}."""
    body = re.sub(r"\{([^{};]*)\}", r"<\1>", body)
    line, start, current = first_line, first_line, ""
    for character in body:
        if character in ";{}":
            if current.strip():
                yield " ".join(current.split()), start
            current = ""
        elif character == ":" and re.fullmatch(r"\s*[\w$]+", current):
            yield current.strip() + ":", start
            current = ""
        else:
            if not current.strip() and not character.isspace():
                start, current = line, ""
            current += character
        line += character == "\n"
    if current.strip():
        yield " ".join(current.split()), start


def parse_body(source, body, first_line):
    label = None
    for text, line in statements(body, first_line):
        if text.endswith(":"):
            label = text[:-1]
            source.labels[label] = len(source.instructions)
        elif text.startswith(".branchtargets"):
            source.tables[label] = split_operands(text.split(None, 1)[1])
        elif text.startswith("."):
            declare(source, text)
        else:
            source.instructions.append(Instruction(text, line))


def parse_variables(head):
    """Variables of the module: {name: (bytes or None if all zero, size)}."""
    out = {}
    pattern = (r"\.(?:global|const)\s+(?:\.align\s+\d+\s+)?\.(\w+)\s+([\w$]+)((?:\[\d+\])*)"
               r"\s*(?:=\s*(\{[^}]*\}|[^;]+))?;")
    for kind, name, dimensions, values in re.findall(pattern, head):
        if is_float_word(values):
            raise PtxError(f"initial value of {name} is not understood: {values[:40]}")
        width, size = width_of(kind) // 8, width_of(kind) // 8
        for count in re.findall(r"\d+", dimensions):
            size *= int(count)
        data = b"".join((int(v, 0) & ((1 << 8 * width) - 1)).to_bytes(width, "little")
                        for v in re.findall(r"-?\b(?:0[xX][0-9a-fA-F]+|\d+)\b", values))
        out[name] = data + bytes(size - len(data))
    return out


def is_float_word(values):
    return re.search(r"\b0[fFdD][0-9a-fA-F]{8}", values) is not None


def declare_module_shared(source, head, used):
    """Shared variables that nvcc writes before the kernel whose words are `used`."""
    for name in re.findall(r"\.extern\s+\.shared[^;]*?([\w$]+)\[\]\s*;", head):
        source.shared[name] = None
    for statement in re.findall(r"^\s*(\.shared\s[^;]*);", head, re.MULTILINE):
        if re.search(r"([\w$]+)(?:\[\d+\])*$", statement)[1] in used:
            declare_variable(source, " ".join(statement.split()))


def parse_module(text):
    """(version, target, {name: Source}, {variable: bytes}) of a PTX file."""
    text = without_comments(text)
    version = re.search(r"\.version\s+(\S+)", text)
    target = re.search(r"\.target\s+([\w.]+)", text)
    if not version or not target:
        raise PtxError("this is no PTX: .version or .target is missing")
    kernels = {}
    for entry in re.finditer(r"\.entry\s+([\w$]+)\s*\(([^)]*)\)[^{]*\{", text):
        depth, end = 1, entry.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        source = Source(entry[1])
        source.parameters = parse_parameters(entry[2])
        body = text[entry.end() : end - 1]
        declare_module_shared(source, text[: entry.start()], set(re.findall(r"[\w$]+", body)))
        parse_body(source, body, text.count("\n", 0, entry.end()) + 1)
        kernels[entry[1]] = source
    bodies = re.sub(r"\{[^{}]*;[^{}]*\}", "", text)
    return version[1], target[1], kernels, parse_variables(bodies)
