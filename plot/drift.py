"""How much the machine moved while a run lasted: the same sentence as `ridge show` prints."""

import numpy as np

from store import Run

UNSTEADY = 0.05  # relative


def round_medians(run: Run, is_arithmetic: bool) -> list[float]:
    """Median seconds of each round of each control of that kind, over all benches."""
    controls = (
        p
        for p in run.points
        if "beside" in p.params and p.status == "ok" and ("fmas" in p.params) == is_arithmetic
    )
    return [
        float(np.median(p.seconds[p.rounds == r]))
        for p in controls
        for r in np.unique(p.rounds)
    ]


def drift_sentence(run: Run) -> str:
    """Fastest over slowest round of both controls, without a full stop; empty below two rounds."""
    medians = [round_medians(run, kind) for kind in (False, True)]
    if not all(medians) or max(map(len, medians)) < 2:
        return ""
    memory, arithmetic = (max(m) / min(m) - 1 for m in medians)
    unsteady = max(memory, arithmetic) > UNSTEADY
    return (
        f"over {max(map(len, medians))} rounds the memory control moved by {memory:.0%}, the "
        f"arithmetic one by {arithmetic:.1%}"
        + (": this machine was unsteady, another run may differ by as much" if unsteady else "")
    )
