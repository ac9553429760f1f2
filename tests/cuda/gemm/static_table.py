"""The gemm ladder and the Tensor Core chains before they ever run: what the compiler made of them for each
architecture, and what that allows the mma rung to reach, as Markdown.

    static_table.py [--arch 80,89] [--check]

--check asserts instead of printing: nothing spills, the inner loops hold exactly the products they should,
every copy has 16 bytes, the large tile's blocks fit. Exit 77 where nvcc or nvdisasm is missing.
"""

import argparse
import re
import shutil
import sys
import tempfile

from machine_code import find_tool, read_kernels
from machines import CARDS, DEPTH, LIMITS, SCHEDULERS, SHARED_BYTES_PER_CYCLE, blocks_at_once

GEMM = ("0_naive", "1_coalesced", "2_shared", "3_registers", "4_mma")
CHAINS = "kernels/intensity/tensor_cuda_1_chains.cu"
TILE = re.compile(r"gemm_tileI\d+gemm_mma_(\w+?)Li(\d+)ELi(\d+)ELi(\d+)ELi(\d+)ELi(\d+)ELi(\d+)EEL\d*9gemm_copy(\d)")
PLAIN = {"gemm_type_f32": "f32", "gemm_type_f64": "f64", "gemm_type_f16": "f16", "gemm_type_bf16": "bf16",
         "gemm_type_int8": "int8"}
ELEMENT_BYTES = {"f16": 2, "bf16": 2, "tf32": 4, "int8": 1, "f64": 8}
THREADS = {"0_naive": 256, "1_coalesced": 256, "2_shared": 256, "3_registers": 256}
NATIVE = {"f64": (80, 90, 100), "tf32": (80, 86, 89, 90, 100, 120), "bf16": (80, 86, 89, 90, 100, 120)}


class Tile:
    """An mma kernel's name, taken apart."""

    def __init__(self, name):
        m = TILE.search(name)
        self.type = m[1]
        self.m, self.n, down, across, self.stages, _, copy = map(int, m.groups()[1:])
        self.is_async, self.threads = copy == 0, 32 * down * across
        depth_bytes = 128 if self.type == "f64" else 64
        self.k = depth_bytes // ELEMENT_BYTES[self.type]
        self.stage_bytes = (self.m + self.n) * depth_bytes
        self.shared_bytes = self.stages * self.stage_bytes
        self.warp = f"{self.m // down} x {self.n // across}"
        self.products = self.m // 16 * (self.n // 8) * self.k // DEPTH[self.type] // (self.threads // 32)

    def label(self):
        return f"{self.type} {self.m} x {self.n} x {self.k}{'' if self.is_async else ', any rows'}"


def chain_type(name):
    return re.search(r"I\d+tensor_(\w+?)Ev", name)[1]


def is_native(kind, capability):
    return capability in NATIVE.get(kind, LIMITS)


def instructions_per_product(kind, capability):
    """Machine instructions of one product of 16 x 8; in f64 only 9.0 has one for it, whatever PTX says."""
    if kind == "f64":
        return 1 if capability == 90 else 4
    if capability == 75:
        return 4 if kind == "int8" else 2
    return 1


def plain_type(name):
    for mark, kind in PLAIN.items():
        if mark in name:
            return kind
    return "f64" if "registersId" in name else "f32"


def resource_rows(rung, kernels, capability):
    for name, kernel in sorted(kernels.items()):
        if rung == "4_mma":
            tile = Tile(name)
            if not is_native(tile.type, capability) or not kernel.loop:
                continue
            label, threads, shared = tile.label(), tile.threads, tile.shared_bytes
        else:
            label, threads, shared = plain_type(name), THREADS[rung], kernel.static_bytes
            label += ", any rows" if "Lb0E" in name else ""
        blocks, why = blocks_at_once(capability, kernel.registers, threads, shared)
        yield (f"sm_{capability}", rung, label, kernel.registers, f"{shared / 1024:g}", kernel.spill_bytes,
               kernel.access_bytes("LDG", "LDGSTS"), kernel.access_bytes("STG"), f"{blocks} x {threads // 32}", why)


def mma_row(name, kernel, capability):
    tile, counts = Tile(name), kernel.counts()
    products = kernel.products() / instructions_per_product(tile.type, capability)
    loads = counts["LDSM"] + counts["LDS"]
    return (f"sm_{capability}", tile.label(), kernel.products(), len(kernel.loop) - kernel.products(),
            f"{(len(kernel.loop) - kernel.products()) / products:.2f}", f"{loads}", counts["LDGSTS"], counts["NOP"],
            f"{kernel.shared_bytes_read() / products:.0f}")


class Bound:
    """Cycles of a quarter of a multiprocessor per product of 16 x 8, by what needs them."""

    def __init__(self, tile, kernel, card):
        capability, self.multiprocessors, rates, l2, share = CARDS[card]
        products = kernel.products() / instructions_per_product(tile.type, capability)
        written = tile.stage_bytes / (tile.threads // 32) / products
        rate = rates[tile.type] * share
        self.tensor = 16 * 8 * DEPTH[tile.type] * SCHEDULERS / rate
        self.issue = len(kernel.loop) / products
        self.shared = SCHEDULERS * (kernel.shared_bytes_read() / products + written) / SHARED_BYTES_PER_CYCLE
        self.l2 = SCHEDULERS * written * self.multiprocessors / l2 if l2 else 0
        self.blocks, _ = blocks_at_once(capability, kernel.registers, tile.threads, tile.shared_bytes)
        self.tile = tile

    def waves(self, n):
        """Full waves' share of the waves that an n x n product takes."""
        tiles = -(-n // self.tile.m) * -(-n // self.tile.n)
        at_once = self.multiprocessors * self.blocks
        return tiles / (at_once * -(-tiles // at_once))

    def verdict(self):
        others = {"instruction starts": self.issue, "shared memory": self.shared, "L2": self.l2}
        worst = max(others, key=others.get)
        if others[worst] > self.tensor:
            return f"no: {worst}"
        return f"{'close' if others[worst] > 0.8 * self.tensor else 'yes'}: {worst} at {others[worst] / self.tensor:.2f}"


def bound_rows(kernels_by_capability):
    for card, (capability, _, rates, _, _) in CARDS.items():
        for name, kernel in sorted(kernels_by_capability.get(capability, {}).items()):
            tile = Tile(name)
            is_largest = (tile.m, tile.n) in ((128, 256), (128, 128)) or tile.type == "f64" and tile.n == 128
            if tile.type not in rates or not is_largest or not tile.is_async or not kernel.loop:
                continue
            b = Bound(tile, kernel, card)
            yield (card, tile.label(), f"{b.tensor:.1f}", f"{b.issue:.1f}", f"{b.shared:.1f}",
                   f"{b.l2:.1f}" if b.l2 else "", f"{b.waves(4096):.2f}", f"{b.waves(8192):.2f}", b.verdict())


def print_table(title, heads, rows):
    print(f"\n## {title}\n\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")


def complaints(capability, mma, chains):
    """What is not as designed."""
    for name, kernel in [*mma.items(), *chains.items()]:
        if kernel.spill_bytes:
            yield f"sm_{capability} {name} spills {kernel.spill_bytes} bytes"
    for name, kernel in mma.items():
        tile, counts = Tile(name), kernel.counts()
        if not is_native(tile.type, capability) or tile.shared_bytes > LIMITS[capability][2]:
            if kernel.products():
                yield f"sm_{capability} {tile.label()} should trap"
            continue
        wanted = tile.products * instructions_per_product(tile.type, capability)
        if kernel.products() != wanted:
            yield f"sm_{capability} {tile.label()}: {kernel.products()} products in the loop, not {wanted}"
        copies = tile.stage_bytes // 16 // tile.threads if tile.is_async and capability >= 80 else 0
        wide = sum(".128" in i for i in kernel.loop if "LDGSTS" in i)
        if counts["LDGSTS"] != copies or wide != copies:
            yield f"sm_{capability} {tile.label()}: {counts['LDGSTS']} copies, {wide} of 16 bytes, not {copies}"
        if counts["BAR"] != 1:
            yield f"sm_{capability} {tile.label()}: {counts['BAR']} barriers in the loop"
        if tile.is_async and kernel.access_bytes("STG") != "16":
            yield f"sm_{capability} {tile.label()}: stores of {kernel.access_bytes('STG')} bytes"
    for name, kernel in chains.items():
        if kernel.loop and kernel.products() % 64:
            yield f"sm_{capability} {name}: {kernel.products()} products in the loop, not 64 or four times as many"
        kind = chain_type(name)
        is_there = bool(kernel.loop)
        should = capability in (89, 120) if kind[0] == "e" else is_native(kind, capability)
        if is_there != should:
            yield f"sm_{capability} {name}: {'runs' if is_there else 'traps'}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", default=",".join(map(str, LIMITS)))
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not shutil.which("nvcc") or not find_tool("nvdisasm"):
        print("nvcc and nvdisasm (Python package nvidia-cuda-nvdisasm) are needed")
        return 77
    resources, mma_by_capability, mma_rows, chain_rows, wrong = [], {}, [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for capability in map(int, options.arch.split(",")):
            chains = read_kernels(CHAINS, capability, folder)
            for rung in GEMM if not options.check else GEMM[3:]:
                kernels = read_kernels(f"kernels/gemm/gemm_cuda_{rung}.cu", capability, folder)
                resources += resource_rows(rung, kernels, capability)
                wrong += [f"sm_{capability} {n} spills" for n, k in kernels.items() if k.spill_bytes]
            mma_by_capability[capability] = kernels
            wrong += complaints(capability, kernels, chains)
            mma_rows += [mma_row(n, k, capability) for n, k in sorted(kernels.items()) if k.products()]
            chain_rows += [(f"sm_{capability}", chain_type(n), k.registers, k.spill_bytes,
                            k.products(), len(k.loop) - k.products() - k.counts()["NOP"], k.counts()["NOP"])
                           for n, k in sorted(chains.items()) if k.products()]
    if options.check:
        print("\n".join(wrong) or "as designed")
        return 1 if wrong else 0
    print_table("Resources", ("", "rung", "kernel", "registers", "shared KiB", "spilled bytes",
                              "bytes per load", "per store", "blocks x warps", "limit"),
                resources)
    print_table("Inner loop of the mma rung, per round of a stage", (
        "", "kernel", "Tensor Core instructions", "others", "others per product of 16 x 8", "shared loads",
        "16-byte copies", "of the others NOP", "shared bytes read per product"), mma_rows)
    print_table("Tensor Core chains, inner loop", ("", "type", "registers", "spilled bytes", "products", "others", "NOP"),
                chain_rows)
    print_table("Bounds of the mma rung: cycles of a quarter of a multiprocessor per product of 16 x 8", (
        "card", "kernel", "Tensor Core", "starts", "shared memory", "L2", "waves at 4096", "at 8192",
        "0.9 of the Tensor Core's rate"), bound_rows(mma_by_capability))
    print("\n".join(["", *wrong]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
