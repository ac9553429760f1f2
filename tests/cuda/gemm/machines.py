"""What the static table needs to know of GPUs, as data, with the sources.

LIMITS, by compute capability: CUDA C++ Programming Guide, appendix "Compute Capabilities", table
"Technical Specifications per Compute Capability". Registers 65536 per multiprocessor, given to warps in
units of 256; from 8.0 on the driver keeps 1 KiB of shared memory of each block; four schedulers, each
starts one instruction per cycle; shared memory serves 128 bytes per cycle.

CARDS: multiply-adds per cycle and multiprocessor of the Tensor Cores, dense. They agree with the dense figures
of the cards' data sheets over multiprocessors and clock to 0.3 % (H100: at the 1.83 GHz of its Tensor Core
figures; its f64 is quoted at 1.98). NVIDIA's papers on the architectures give the same: "NVIDIA A100 Tensor Core GPU Architecture" (1024 in f16), "NVIDIA Ampere GA102 GPU
Architecture", "NVIDIA Ada GPU Architecture" (GeForce sums f32 at half the rate of the workstation and data
center cards of the same chip), "NVIDIA H100 Tensor Core GPU Architecture", "NVIDIA RTX Blackwell GPU
Architecture". On 9.0 mma.sync reaches some 0.63 of it (Luo et al., "Benchmarking and Dissecting the Nvidia
Hopper GPU Architecture via Microbenchmarking", 2024: H800); the rest is for wgmma. L2: bytes per cycle for
the whole chip, read; only the paper on A100 says one (5120).
"""

LIMITS = {  # threads, blocks, shared bytes of a multiprocessor
    75: (1024, 16, 64 << 10),
    80: (2048, 32, 164 << 10),
    86: (1536, 16, 100 << 10),
    89: (1536, 24, 100 << 10),
    90: (2048, 32, 228 << 10),
    100: (2048, 32, 228 << 10),
    120: (1536, 24, 100 << 10),
}
REGISTERS, REGISTER_UNIT, RESERVED_SHARED, SHARED_BYTES_PER_CYCLE, SCHEDULERS = 65536, 256, 1024, 128, 4

# capability, multiprocessors, {type: multiply-adds per cycle and multiprocessor}, L2 bytes per cycle or None,
# what mma.sync gets of the rate
CARDS = {
    "A100": (80, 108, {"f16": 1024, "bf16": 1024, "tf32": 512, "int8": 2048, "f64": 64}, 5120, 1.0),
    "RTX A6000": (86, 84, {"f16": 512, "bf16": 512, "tf32": 256, "int8": 1024}, None, 1.0),
    "L40S": (89, 142, {"f16": 512, "bf16": 512, "tf32": 256, "int8": 1024}, None, 1.0),
    "RTX 4090": (89, 128, {"f16": 256, "bf16": 256, "tf32": 128, "int8": 1024}, None, 1.0),
    "H100 SXM": (90, 132, {"f16": 2048, "bf16": 2048, "tf32": 1024, "int8": 4096, "f64": 128}, None, 0.63),
    "RTX 5090": (120, 170, {"f16": 256, "bf16": 256, "tf32": 128, "int8": 1024}, None, 1.0),
}

DEPTH = {"f16": 16, "bf16": 16, "tf32": 8, "int8": 32, "f64": 8}  # of one product of 16 x 8


def blocks_at_once(capability, registers, threads, shared_bytes):
    """Blocks that a multiprocessor holds, and what keeps it from holding more."""
    most_threads, most_blocks, most_shared = LIMITS[capability]
    per_warp = -(-registers * 32 // REGISTER_UNIT) * REGISTER_UNIT
    reserved = RESERVED_SHARED if capability >= 80 else 0
    limits = {
        "registers": REGISTERS // per_warp // (threads // 32),
        "shared memory": most_shared // (shared_bytes + reserved) if shared_bytes else most_blocks,
        "threads": most_threads // threads,
        "blocks": most_blocks,
    }
    least = min(limits, key=limits.get)
    return limits[least], least
