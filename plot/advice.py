"""Why a BLAS library is slow, and what helps: the sentences of `ridge show FILE ladder`.

The rules are those of kernels/blas/blas_advice.c; the test compares both.
"""

from __future__ import annotations

FAIR_SHARE = 0.6  # of the compute roof; a large product below it has a cause that can be named
LEAST_OPERATIONS, LEAST_INTENSITY = 2.0 * 512**3, 30.0  # smaller and thinner ones are slow anyway
DISTURBED = {"foreign_load", "unsteady"}  # a point with one of these is slow for another reason
# Registers of an instruction set, and the cores whose kernels use all of them, by the names of
# OpenBLAS and BLIS; what is not listed is older, or generic.
REGISTERS = {"x86-64-v4": "AVX-512", "x86-64-v3": "AVX2"}
FITTING = {
    "x86-64-v4": "SkylakeX Cooperlake SapphireRapids skx knl zen4 zen5".split(),
    "x86-64-v3": "Haswell Zen haswell zen zen2 zen3 excavator".split(),
}
BLIS_NUMBERS = {"x86-64-v4": "0 (skx, AVX-512)", "x86-64-v3": "3 (haswell, AVX2)"}


def core_of(implementation: str) -> str:
    """ "Cooperlake" of "OpenBLAS 0.3.21 pthreads, core Cooperlake"; "" where none is told."""
    rest = implementation.partition(", core ")[2]
    return rest.replace(",", " ").split(" ")[0]


def forced_by(implementation: str) -> str:
    """The environment's variable that chose the core: the last part, if it reads NAME=value."""
    before, equals, _ = implementation.partition("=")
    return before.rpartition(" ")[2] if equals else ""


def cause_of(implementation: str, isa: str) -> str:
    """The likely cause and the remedy, or "unknown cause"; `isa` is the processor's best."""
    core, forced = core_of(implementation), forced_by(implementation)
    registers = REGISTERS.get(isa)
    is_older = bool(registers) and core not in ("", "unknown", *FITTING[isa])
    if forced and (is_older or not registers):
        return f"unset {forced}: it forces the kernels of {core}"
    if implementation.startswith("BLIS ") and core == "generic":
        number = BLIS_NUMBERS.get(isa)
        setting = f"set BLIS_ARCH_TYPE={number} or " if number else ""
        return (
            f"BLIS runs its generic kernels on this processor: {setting}install another library"
        )
    if implementation.startswith("OpenBLAS ") and is_older:
        return (
            f"OpenBLAS runs the kernels of {core}, which do not use this processor's {registers}: "
            "install a newer OpenBLAS"
        )
    return "unknown cause"
