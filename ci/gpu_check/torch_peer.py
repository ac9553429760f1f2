#!/usr/bin/env python3
"""What PyTorch reaches on this GPU, for the summary: torch_peer.py OUT.md.

Copies of a tensor far larger than the L2 and matrix products of n = 4096, the best of 20 by CUDA
events. A peer's number beside ours, measured in the same minutes; no timer of ours is involved.
"""

import sys

import torch

COPY_BYTES, N, TRIES = 2 << 30, 4096, 20


def best_seconds(work):
    """The fastest of TRIES runs behind two that warm up."""
    times = []
    for _ in range(TRIES + 2):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        work()
        stop.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(stop) / 1e3)
    return min(times[2:])


def copy_rate():
    """Bytes read and written per second."""
    a = torch.ones(COPY_BYTES // 4, device="cuda")
    b = torch.empty_like(a)
    return 2 * COPY_BYTES / best_seconds(lambda: b.copy_(a))


def matmul_rate(dtype, allow_tf32):
    """Operations per second."""
    torch.backends.cuda.matmul.allow_tf32 = allow_tf32
    a, b = (torch.randn(N, N, device="cuda").to(dtype) for _ in range(2))
    c = torch.empty(N, N, device="cuda", dtype=dtype)
    return 2 * N**3 / best_seconds(lambda: torch.matmul(a, b, out=c))


def main():
    """Writes the table."""
    rows = [("copy", f"{copy_rate() / 1e9:.0f} GB/s")]
    for name, dtype, tf32 in (("f64", torch.float64, False), ("f32", torch.float32, False),
                              ("tf32", torch.float32, True), ("f16", torch.float16, False),
                              ("bf16", torch.bfloat16, False)):
        rows.append((f"matmul {name} {N}^3", f"{matmul_rate(dtype, tf32) / 1e12:.1f} Top/s"))
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(f"## PyTorch {torch.__version__}, best of {TRIES}\n\n| what | rate |\n|---|---|\n")
        file.writelines(f"| {what} | {rate} |\n" for what, rate in rows)


if __name__ == "__main__":
    main()
