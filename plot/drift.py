"""How much each device moved while a run lasted: the same sentences as `ridge show` prints."""

import numpy as np

from store import Run

UNSTEADY = 0.05  # relative


def round_medians(run: Run, device: str, is_arithmetic: bool) -> list[float]:
    """Median seconds of each round of each control of that kind, over all benches."""
    return [
        float(np.median(p.seconds[p.rounds == r]))
        for p in run.points
        if p.device == device and p.is_control and p.status == "ok"
        if p.is_ladder == is_arithmetic
        for r in np.unique(p.rounds)
    ]


def drift_of(run: Run, device: str) -> str:
    """Slowest over fastest round of both controls, without a full stop; empty below two rounds."""
    medians = [round_medians(run, device, is_arithmetic) for is_arithmetic in (False, True)]
    if not all(medians) or max(map(len, medians)) < 2:
        return ""
    memory, arithmetic = (max(m) / min(m) - 1 for m in medians)
    unsteady = max(memory, arithmetic) > UNSTEADY
    return (
        f"over {max(map(len, medians))} rounds the memory control moved by {memory:.0%}, the "
        f"arithmetic one by {arithmetic:.1%}"
        + (": this machine was unsteady, another run may differ by as much" if unsteady else "")
    )


def drift_sentences(run: Run, device: str | None = None) -> list[str]:
    """Of that device, or of each; its name stands before where the run has several."""
    devices = list(dict.fromkeys(p.device for p in run.points))
    told = {name: drift_of(run, name) for name in devices if device in (None, name)}
    prefix = len(devices) > 1
    return [f"drift of {name}: {words}" if prefix else words for name, words in told.items() if words]
