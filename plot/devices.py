"""What the page says of each device: its key numbers, and what the file tells of it."""

from __future__ import annotations

from typing import Any

from ceilings import FMA, compute_roof, mix_roof, product_roof
from markup import definitions, tag, text
from parts import devices_of, facts_of, has_others, levels_in, listed, model_of, models_of
from store import CPU, Ceiling, Part, Run
from units import binary, counted, measured, plus_minus, si


def amount(facts: dict[str, Any], key: str) -> float:
    """A number; 0 where it is not known."""
    return float(facts.get(key) or 0)


def memory_of(facts: dict[str, Any]) -> str:
    """ "140 GiB with ECC, 6144 bit at 3.20 GHz"; what is not known is left out."""
    ecc = {True: " with ECC", False: " without ECC"}.get(facts.get("ecc"), "")
    size = binary(amount(facts, "memory_bytes"))
    bits, clock = round(amount(facts, "memory_bus_bits")), amount(facts, "memory_clock_hz")
    wide = f"{bits} bit" if bits else ""
    at = f"at {si(clock, 'Hz')}" if clock else ""
    told = [f"{size}{ecc}" if size != "-" else "", " ".join(word for word in (wide, at) if word)]
    return ", ".join(word for word in told if word)


def software_of(facts: dict[str, Any]) -> str:
    """ "driver for CUDA 13.0, runtime 13.0"."""
    told = (("driver for CUDA", "driver_cuda"), ("runtime", "runtime_cuda"))
    return ", ".join(f"{name} {facts[key]}" for name, key in told if facts.get(key))


def sentence_of(run: Run, device: str) -> str:
    """One line about a device: "cuda:0: NVIDIA H200, compute capability 9.0 ..."."""
    told = [f"{device}: {model_of(run, device)}"]
    if device == CPU:
        return f"{told[0]}, {counted(most_threads(run, CPU), 'thread')}."
    facts = facts_of(run, device)
    clock, count = amount(facts, "max_clock_hz"), round(amount(facts, "multiprocessors"))
    if facts.get("compute_capability"):
        told.append(f"compute capability {facts['compute_capability']}")
    if count:
        told.append(counted(count, "multiprocessor"))
    if clock:
        told.append(f"up to {si(clock, 'Hz')}")
    if memory_of(facts):
        told.append(f"memory {memory_of(facts)}")
    if software_of(facts):
        told.append(software_of(facts))
    return f"{', '.join(told)}."


def facts_table(run: Run, device: str) -> str:
    """The same and more as a list of names and values, for a device other than the cpu."""
    facts = facts_of(run, device)
    clock, shared = amount(facts, "max_clock_hz"), binary(amount(facts, "shared_bytes"))
    levels = [
        f"{level.name} {binary(level.capacity_bytes)}" for level in run.levels.get(device, ())
    ]
    pairs = [
        ("model", model_of(run, device)),
        ("PCI address", facts.get("pci_bus_id")),
        ("compute capability", facts.get("compute_capability")),
        ("multiprocessors", facts.get("multiprocessors") or None),
        ("shared memory", f"{shared} per multiprocessor" if shared != "-" else None),
        ("highest clock", si(clock, "Hz") if clock else None),
        ("caches, in total", ", ".join(levels)),
        ("memory", memory_of(facts)),
        ("software", software_of(facts)),
    ]
    return text("h3", device) + definitions(pairs)


def device_tables(run: Run) -> str:
    """Of all devices but the cpu."""
    return "".join(facts_table(run, device) for device in devices_of(run) if device != CPU)


# ---- Key numbers.


def most_threads(run: Run, device: str) -> int:
    """Of the device's ceilings."""
    return max((c.threads for c in run.ceilings if c.device == device), default=1)


def number_cell(name: str, c: Ceiling) -> str:
    """One number, with its unit and interval in small print."""
    value, unit = measured(c.value, c.half_width, c.unit).split(" ", 1)
    told = text("small", f"{unit} {plus_minus(c.half_width)}")
    return tag("div", text("dt", name), tag("dd", f"{value} {told}"))


def numbers_of(run: Run, device: str) -> str:
    """Compute and read bandwidth with the most threads: what a reader takes away."""
    threads = most_threads(run, device)
    dtypes = sorted({c.dtype for c in run.ceilings if c.device == device})
    parts = [Part(device, dtype, threads) for dtype in dtypes]
    cells = []
    for part in parts:
        compute, highest = compute_roof(run, part), product_roof(run, part)
        if compute:
            cells.append(number_cell(f"compute, {part.dtype}", compute))
        if highest and highest.mix != FMA:
            cells.append(number_cell(f"compute, {part.dtype}, {highest.mix}", highest))
    for level in levels_in(run, device):
        roofs = [
            mix_roof(run, level, mix, part) for mix in ("read ladder", "read") for part in parts
        ]
        best = next((c for c in roofs if c), None)
        if best:
            cells.append(number_cell(f"read {level}, {best.dtype}", best))
    return tag("dl", *cells, cls="key") if cells else ""


def key_numbers(run: Run) -> str:
    """Of each device; with a line about each where there is another than the cpu."""
    if not has_others(run):
        return numbers_of(run, CPU)
    return "".join(
        text("p", sentence_of(run, device)) + numbers_of(run, device) for device in devices_of(run)
    )


def headline_of(run: Run) -> str:
    """What the page is about."""
    models = models_of(run)
    does = "computes and moves" if len(models) == 1 else "compute and move"
    return f"What {listed(models)} {does}"


def values_sentence(run: Run) -> str:
    """What the key numbers are."""
    values = "typical values (medians), each with half the width of its 95 % interval."
    if has_others(run):
        return f"Above: {values}"
    return f"With {counted(most_threads(run, CPU), 'thread')}: {values}"
