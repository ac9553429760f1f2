"""How much the machine moved while a run lasted: the same sentence as `ridge show` prints."""

import numpy as np

from store import Run

UNSTEADY = 0.05  # relative


def round_medians(run: Run, is_arithmetic: bool) -> list[list[float]]:
    """Median seconds of each round of each control of that kind, over all benches: a list for each
    device, since their controls take different times."""
    medians: dict[str, list[float]] = {}
    for p in run.points:
        if p.is_control and p.status == "ok" and p.is_ladder == is_arithmetic:
            rounds = [float(np.median(p.seconds[p.rounds == r])) for r in np.unique(p.rounds)]
            medians.setdefault(p.device, []).extend(rounds)
    return [found for found in medians.values() if found]


def drift_sentence(run: Run) -> str:
    """Slowest over fastest round of both controls, of the device that moved the most, without a
    full stop; empty below two rounds."""
    kinds = [round_medians(run, is_arithmetic) for is_arithmetic in (False, True)]
    rounds = max(sum(map(len, devices)) for devices in kinds)
    if not all(kinds) or rounds < 2:
        return ""
    memory, arithmetic = (max(max(m) / min(m) - 1 for m in devices) for devices in kinds)
    unsteady = max(memory, arithmetic) > UNSTEADY
    return (
        f"over {rounds} rounds the memory control moved by {memory:.0%}, the "
        f"arithmetic one by {arithmetic:.1%}"
        + (": this machine was unsteady, another run may differ by as much" if unsteady else "")
    )
