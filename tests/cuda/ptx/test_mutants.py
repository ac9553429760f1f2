"""Breaks the PTX of kernels on purpose, and sees that the checks say so.

    test_mutants.py FOLDER ARCHITECTURE        as test_kernels.py

Each mutant is a change of the text of one kernel: exit 1 if one of them passes its check.
"""

import pathlib
import re
import sys

import check_device
import check_intensity
import check_probes
import check_stream
from machine import Module, PtxError
from support import Wrong


def swap(first, second):
    """Exchanges two groups of a pattern's first match."""
    def change(match):
        text, (a, b), (c, d) = match[0], match.span(first), match.span(second)
        start = match.start()
        return text[: a - start] + match[second] + text[b - start : c - start] + match[first] + text[d - start :]
    return change


def gemm(module):
    check_probes.check_gemm(module, 32, 32, 104)


def gemm_ragged(module):
    check_probes.check_gemm(module, 40, 24, 40)


def triad(rung, count):
    return lambda module: check_stream.check_map(module, rung, "triad", 0, "f", count)


def streamed(rung, count):
    return lambda module: check_stream.check_map(module, rung, "triad", 1, "f", count)


def far(module):
    check_stream.check_far(module, "stream_cuda_0_scalar", "triad", "f")


def read(module):
    check_stream.check_read(module, "stream_cuda_0_scalar", 0, "f", 2 * 512 + 7)


def chains(kind, m, source):
    return lambda module: check_intensity.check_chains(module, kind, m, source)


STREAMED = r"10stream_mapIL9stream_op5EL12stream_store1EfE"
MAP = r"10stream_mapIL9stream_op5EL12stream_store0EfE"
READ = r"11stream_readIL12stream_store0EfE"
MMA = r"mma\.sync\S*\s*(\{[^}]*\}),\s*\{([^}]*)\},\s*\{(%\w+),\s*(%\w+)\}"
LOOP_LOAD = r"(ld\.global\S*v4\S*\s+\{[^}]*\},\s*\[%\w+)\]"
FMA = r"(fma\.rn\.f32\s+%\w+,\s*)(%\w+)(,\s*%\w+,\s*)(%\w+)"
# what is broken; file; kernel; pattern; replacement; how many of the matches (0: all); the check
MUTANTS = (
    ("B registers of an mma swapped", "probes", "probe_gemm", MMA, swap(3, 4), 1, gemm),
    ("A registers of an mma swapped", "probes", "probe_gemm",
     r"mma\.sync\S*\s*\{[^}]*\},\s*\{(%\w+),\s*(%\w+),", swap(1, 2), 1, gemm),
    ("an ldmatrix without .trans", "probes", "probe_gemm", r"\.trans", "", 1, gemm),
    ("one group more may be on its way", "probes", "probe_gemm", r"(cp\.async\.wait_group)\s+1", r"\1 2", 0, gemm),
    ("a commit missing", "probes", "probe_gemm", r"cp\.async\.commit_group;", "", 1, gemm),
    ("no bar.sync in the loop", "probes", "probe_gemm", r"bar\.sync\s+0;", "", 0, gemm),
    ("no zeros behind a ragged edge", "probes", "probe_gemm",
     r"(cp\.async\.cg\S*\s+\[%\w+\],\s*\[%\w+\],\s*16),\s*%\w+", r"\1", 0, gemm_ragged),
    ("f32 where f16 is multiplied", "probes", "probe_gemm", r"f32\.f16\.f16\.f32", "f32.bf16.bf16.f32", 1, gemm),
    ("a result stored 4 bytes further", "probes", "probe_gemm", r"(st\.global\.f32\s+\[%\w+)\]", r"\1+4]", 1, gemm),
    ("no barrier before bins are added", "probes", "probe_histogram", r"bar\.sync\s+0;", "", 2,
     check_probes.check_histogram),
    ("a maximum for a sum in an atomic", "probes", "probe_histogram", r"(atom|red)\.shared\.add",
     r"\1.shared.max", 1, check_probes.check_histogram),
    ("a shuffle in the other direction", "probes", "probe_lanes", r"shfl\.sync\.up", "shfl.sync.down", 1,
     lambda module: check_probes.check_lanes(module, 5)),
    ("a store shifted by an element", "stream_cuda_0_scalar", MAP, r"(st\.global\.f32\s+\[%\w+)\]", r"\1+4]", 1,
     triad("stream_cuda_0_scalar", 1031)),
    ("the index in 32 bits", "stream_cuda_0_scalar", MAP, r"mul\.wide\.u32(\s+%\w+),", r"mul.wide.s16\1,", 1, far),
    ("a product for a sum", "stream_cuda_0_scalar", MAP, r"fma\.rn\.f32(\s+%\w+,\s*%\w+,\s*%\w+),\s*%\w+", r"mul.f32\1", 1,
     triad("stream_cuda_0_scalar", 1031)),
    ("a vector load of the next vector", "stream_cuda_1_vector", MAP, LOOP_LOAD, r"\1+16]", 1,
     triad("stream_cuda_1_vector", 4615)),
    ("a load shifted by one element", "stream_cuda_1_vector", MAP, LOOP_LOAD, r"\1+4]", 1,
     triad("stream_cuda_1_vector", 4615)),
    ("four unrolled stores, one place twice", "stream_cuda_2_unrolled", MAP,
     r"(add\.s64\s+%\w+,\s*%\w+,\s*)4096;", r"\g<1>8192;", -1, triad("stream_cuda_2_unrolled", 18947)),
    ("a streaming store that asks for nothing", "stream_cuda_1_vector", STREAMED, r"st\.global\.cs", "st.global", 1,
     streamed("stream_cuda_1_vector", 4615)),
    ("the last element left out", "stream_cuda_1_vector", MAP, r"setp\.ge\.s64|setp\.le\.s64", "setp.gt.s64", 0,
     triad("stream_cuda_1_vector", 4615)),
    ("a block's sum without its barrier", "stream_cuda_0_scalar", READ, r"bar\.sync\s+0;", "", 1, read),
    ("a warp's sum that shifts instead of exchanging", "stream_cuda_0_scalar", READ, r"shfl\.sync\.bfly",
     "shfl.sync.up", 1, read),
    ("the ticket of one block more", "stream_cuda_0_scalar", READ, r"atom\.global\.inc\.u32", "atom.global.add.u32", 1, read),
    ("acc and r exchanged with v", "intensity_cuda_1_chains", "13intensity_f32Li2EL6source0E", FMA, swap(2, 4), 1,
     chains("f32", 2, check_intensity.FROM_CACHES)),
    ("a load past the L1 that takes what is in it", "intensity_cuda_1_chains", "13intensity_f32Li2EL6source1E",
     r"ld\.global\.cg", "ld.global", 1, chains("f32", 2, check_intensity.PAST_L1)),
    ("one multiply-add left out", "intensity_cuda_1_chains", "13intensity_f64Li4EL6source0E",
     r"fma\.rn\.f64\s+%\w+,[^;]*;", "", -1, chains("f64", 4, check_intensity.FROM_CACHES)),
    ("a multiply-add in f16 for bf16", "intensity_cuda_1_chains", "14intensity_bf16Li2EL6source0E", r"fma\.rn\.bf16x2",
     "fma.rn.f16x2", 1, chains("bf16", 2, check_intensity.FROM_CACHES)),
    ("no wait before shared memory is read", "intensity_cuda_1_chains", "13intensity_f32Li1EL6source2E",
     r"cp\.async\.wait_group\s+0;|cp\.async\.wait_all;", "", 0, chains("f32", 1, check_intensity.FROM_SHARED)),
    ("a copy of half a vector", "intensity_cuda_1_chains", "13intensity_f32Li1EL6source2E",
     r"(cp\.async\.c)g(\.shared\.global\s+\[[^\]]*\],\s*\[[^\]]*\]),\s*16,\s*%?\w+", r"\1a\2, 8", 1,
     chains("f32", 1, check_intensity.FROM_SHARED)),
    ("a latch that does not look at the clock", "latch", "hold", r"setp\.\w+\.u64(\s+%\w+),\s*(%\w+),\s*(%\w+)",
     r"setp.eq.u64\1, \2, -1", 0, lambda module: check_device.check_latch({"latch": module})),
    ("a flush that skips a word", "flush", "fill", r"(st\.global\.v)4(\S+\s+\[%\w+\]),\s*\{(%\w+),\s*(%\w+),[^}]*\}",
     r"\g<1>2\2, {\3, \4}", 1, lambda module: check_device.check_flush({"flush": module})),
)


def only_kernel(text, word):
    """What stands before the kernels, and the one with this word in its name."""
    starts = [m.start() for m in re.finditer(r"^.*\.entry", text, flags=re.MULTILINE)] + [len(text)]
    for start, following in zip(starts, starts[1:]):
        if word in text[start:following].split("(")[0]:
            return text[: starts[0]], text[start:following]
    raise Wrong(f"there is no kernel with {word} in its name")


def mutate(body, pattern, replacement, which):
    """which: the number of the match that is changed, from 1; 0 for all, -1 for the last."""
    matches = list(re.finditer(pattern, body))
    if len(matches) < max(which, 1):
        raise Wrong(f"{len(matches)} matches of {pattern}")
    chosen = matches if which == 0 else [matches[which - 1 if which > 0 else -1]]
    for match in reversed(chosen):
        new = replacement(match) if callable(replacement) else match.expand(replacement)
        body = body[: match.start()] + new + body[match.end() :]
    return body


def judge(texts, mutant):
    """The sentence with which a mutant was caught, or None. The check must pass what is not broken."""
    _, name, word, pattern, replacement, which, check = mutant
    head, body = only_kernel(texts[name], word)
    check(Module(head + body, name))
    changed = mutate(body, pattern, replacement, which)
    try:
        check(Module(head + changed, name))
    except (PtxError, Wrong) as error:
        return str(error)
    return None


def main():
    folder, architecture = pathlib.Path(sys.argv[1]), sys.argv[2]
    if not folder.is_dir():
        print("nvcc is not installed, so there is no PTX to break: skipped (install the CUDA toolkit)")
        sys.exit(77)
    texts = {f.name.split(".")[0]: f.read_text(encoding="utf-8") for f in folder.glob(f"*/*.compute_{architecture}.ptx")}
    missed = 0
    for mutant in MUTANTS:
        try:
            sentence = judge(texts, mutant)
        except (Wrong, PtxError) as error:
            sys.exit(f"test_mutants: {mutant[0]}: {error}")
        print(f"{'caught' if sentence else 'MISSED'}: {mutant[0]}: {sentence}")
        missed += sentence is None
    if missed:
        sys.exit(f"test_mutants: {missed} of {len(MUTANTS)} mutants passed their check")


if __name__ == "__main__":
    main()
