"""Opcodes of a cubin without a disassembler: names without suffixes, in no order that loops could be seen in.

A cubin is an ELF file; .text.KERNEL is a run of instructions of 16 bytes, whose low 12 bits are the opcode.
The names are those that nvdisasm gives, from compute capability 7.5 to 12.0; 7.5 has two of LDG and of STG.
"""

import struct

NAMES = {
    0x223: "FFMA", 0x22B: "DFMA", 0x231: "HFMA2", 0x235: "HFMA2", 0x224: "IMAD", 0x918: "NOP",
    0x981: "LDG", 0x381: "LDG", 0x986: "STG", 0x386: "STG", 0xFAE: "LDGSTS",
    0x984: "LDS", 0x388: "STS", 0x983: "LDL", 0x387: "STL",
}


def sections(data):
    """{name: bytes} of an ELF file of 64 bits."""
    start, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    heads = [struct.unpack_from("<IIQQQQIIQQ", data, start + i * size) for i in range(count)]
    texts = heads[names][4]
    return {data[texts + h[0] : data.index(b"\0", texts + h[0])].decode(): data[h[4] : h[4] + h[5]]
            for h in heads if h[1] != 8}


def read_bodies(path):
    """{kernel: opcodes}"""
    bodies = {}
    for name, code in sections(path.read_bytes()).items():
        if name.startswith(".text."):
            words = (struct.unpack_from("<H", code, at)[0] & 0xFFF for at in range(0, len(code), 16))
            bodies[name.removeprefix(".text.")] = [NAMES.get(w, f"OP{w:03x}") for w in words]
    return bodies
