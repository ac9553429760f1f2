"""Kernels as the compiler made them: resources from ptxas, the inner loop from the disassembler."""

import collections
import glob
import os
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
PRODUCTS = ("HMMA", "IMMA", "DMMA", "QMMA", "FFMA", "DFMA")


def find_tool(name):
    """On PATH, in the CUDA toolkit, or in a Python package (nvidia-cuda-nvdisasm); None if nowhere."""
    nvcc = shutil.which("nvcc")
    places = [shutil.which(name) or ""]
    if nvcc:
        places.append(str(pathlib.Path(nvcc).resolve().parent / name))
    for base in [os.environ.get("RIDGE_CUDA_TOOLS", ""), str(ROOT / "build/venv")]:
        places += glob.glob(f"{base}/{name}") + glob.glob(f"{base}/lib/python3*/site-packages/nvidia/*/bin/{name}")
    return next((p for p in places if p and os.access(p, os.X_OK)), None)


class Kernel:
    """name; registers, spill_bytes, static_bytes; body: all instructions; loop: those of the loop that multiplies."""

    def __init__(self, name):
        self.name, self.registers, self.spill_bytes, self.static_bytes = name, 0, 0, 0
        self.body, self.loop = [], []

    def counts(self):
        return collections.Counter(opcode(i) for i in self.loop)

    def products(self):
        return sum(self.counts()[p] for p in PRODUCTS[:4])

    def access_bytes(self, *opcodes):
        """Of a lane, by one instruction: the widths that there are, as "1/16"."""
        widths = set()
        for i in self.body:
            if opcode(i) in opcodes:
                m = re.search(r"\.(U8|S8|U16|64|128)\b", mnemonic(i))
                widths.add({"U8": 1, "S8": 1, "U16": 2, "64": 8, "128": 16}[m[1]] if m else 4)
        return "/".join(map(str, sorted(widths)))

    def shared_bytes_read(self):
        """By a warp in one round of the loop; 4, 8 or 16 bytes a lane; not what goes nowhere (RZ)."""
        total = 0
        for i in self.loop:
            if opcode(i) not in ("LDS", "LDSM") or re.search(r"LDS\S* RZ,", i):
                continue
            name = mnemonic(i)
            if opcode(i) == "LDSM":
                width = 4 * int(name[-1])  # .2 or .4 matrices
            else:
                width = 16 if ".128" in name else 8 if ".64" in name else 4
            total += 32 * width
        return total


def mnemonic(instruction):
    """Without the predicate, with the suffixes."""
    return next(w for w in instruction.split() if w[0] not in "@{")


def opcode(instruction):
    return mnemonic(instruction).split(".")[0]


def compile_cubin(source, capability, folder):
    """(path, what ptxas said)."""
    target = pathlib.Path(folder) / f"{pathlib.Path(source).stem}_{capability}.cubin"
    result = subprocess.run(
        ["nvcc", "-std=c++17", "-O3", f"-I{ROOT}", f"-arch=sm_{capability}", "-cubin", "-Xptxas", "-v",
         str(ROOT / source), "-o", str(target)], capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"{source} does not compile for sm_{capability}:\n{result.stderr[:2000]}")
    return target, result.stderr


def read_resources(said, kernels):
    kernel = None
    for line in said.splitlines():
        if m := re.search(r"Compiling entry function '(\w+)'", line):
            kernel = kernels.setdefault(m[1], Kernel(m[1]))
        elif kernel and (m := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line)):
            kernel.spill_bytes = int(m[1]) + int(m[2])
        elif kernel and (m := re.search(r"Used (\d+) registers", line)):
            kernel.registers = int(m[1])
            shared = re.search(r"(\d+) bytes smem", line)
            kernel.static_bytes = int(shared[1]) if shared else 0


def multiplies(body):
    return sum(opcode(i) in PRODUCTS for i in body)


def find_loops(lines):
    """The instructions, and (first, end) of each stretch from a backward branch's target to the branch."""
    places, instructions, loops = {}, [], []
    for line in lines:
        if m := re.match(r"\s*(\.L_x_\d+):", line):
            places[m[1]] = len(instructions)
        elif m := re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", line):
            instructions.append(m[1])
    for i, text in enumerate(instructions):
        m = re.search(r"BRA.*`\((\.L_x_\d+)\)", text)
        if m and places.get(m[1], i) < i:
            loops.append((places[m[1]], i + 1))
    return instructions, loops


def find_loop(lines):
    """The instructions, and those between a backward branch and its target with most products."""
    instructions, loops = find_loops(lines)
    best = []
    for first, end in loops:
        body = instructions[first:end]
        if multiplies(body) > multiplies(best):
            best = body
    return instructions, best


def read_kernels(source, capability, folder):
    """{mangled name: Kernel} of a .cu file, compiled for one compute capability."""
    cubin, said = compile_cubin(source, capability, folder)
    kernels = {}
    read_resources(said, kernels)
    text = subprocess.run([find_tool("nvdisasm"), "-c", str(cubin)], capture_output=True, text=True, check=True).stdout
    parts = re.split(r"^\.text\.(\w+):\n", text, flags=re.M)
    for name, body in zip(parts[1::2], parts[2::2]):
        if name in kernels:
            kernels[name].body, kernels[name].loop = find_loop(body.splitlines())
    return kernels
