"""NVLink: every link active, as many on each GPU, no replay, recovery or CRC errors.

Forms: `nvidia-smi nvlink --status` prints `Link 0: 26.562 GB/s` or `Link 0: <inactive>` below a
line `GPU 0: ...`; `nvidia-smi nvlink --errorcounters` prints `Link 0: Replay Errors: 0`.
"""

from __future__ import annotations

import re
from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance import running
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome, failed

ID = "nvlink"
SOURCE = "azurehpc-health-checks; awsome-distributed-ai, gpu-cluster-healthcheck (2026)"

_GPU = re.compile(r"^GPU (\d+):")
_LINK = re.compile(r"^\s*Link (\d+): (.+?)\s*$")
_ERRORS = re.compile(r"^\s*Link (\d+): (Replay|Recovery|CRC)[A-Za-z ]*Errors: (\d+)\s*$")


def applies(expected: Expected) -> Optional[str]:
    if expected.kind != "nvidia":
        return "the type has no NVIDIA GPUs"
    size = expected.type.scale_up_size
    return "the type's GPUs have no NVLink" if size is not None and size < 2 else None


def look(probe: Probe, expected: Expected) -> Outcome:
    nvidia_smi = running.program(probe, expected, "nvidia-smi")
    links = parse_status(running.output(probe, [nvidia_smi, "nvlink", "--status"], 20.0))
    if not any(links.values()):
        if expected.type.scale_up_size is None:
            raise running.Unreadable("no NVLink is shown, and no source says whether it has any")
        return failed("no NVLink is active on any GPU", "reboot", source=SOURCE)
    inactive = [(gpu, link) for gpu, found in links.items() for link, up in found if not up]
    active = sum(up for found in links.values() for _, up in found)
    shown = {"value": float(active), "unit": "links", "source": SOURCE}
    shown["floor"] = float(active + len(inactive))
    if inactive:
        gpus = sorted({gpu for gpu, _ in inactive})
        text = f"GPU {gpus[0]} link {inactive[0][1]} is inactive"
        more = f"; {len(inactive) - 1} more" if len(inactive) > 1 else ""
        # One GPU: a reboot trains its links again. Several: the switch or the tray.
        return failed(text + more, "reboot" if len(gpus) == 1 else "replace", **shown)
    counts = {gpu: len(found) for gpu, found in links.items()}
    if len(set(counts.values())) > 1:
        fewest = min(counts, key=lambda gpu: counts[gpu])
        text = f"GPU {fewest} has {counts[fewest]} links, others {max(counts.values())}"
        return failed(text, "replace", **shown)
    errors = parse_errors(running.output(probe, [nvidia_smi, "nvlink", "--errorcounters"], 20.0))
    if errors:
        gpu, link, kind, number = errors[0]
        more = f"; {len(errors) - 1} more" if len(errors) > 1 else ""
        text = f"GPU {gpu} link {link}: {number} {kind.lower()} errors{more}"
        return failed(text, "reboot", **shown)
    return Outcome("pass", facts={"nvlinks": active}, **shown)  # type: ignore[arg-type]


def parse_status(text: str) -> dict[int, list[tuple[int, bool]]]:
    """The links of each GPU: number, and whether it is active."""
    found: dict[int, list[tuple[int, bool]]] = {}
    gpu = -1
    for line in text.splitlines():
        head, link = _GPU.match(line), _LINK.match(line)
        if head:
            gpu = int(head.group(1))
            found[gpu] = []
        elif link and gpu >= 0:
            found[gpu].append((int(link.group(1)), "inactive" not in link.group(2).lower()))
    return found


def parse_errors(text: str) -> list[tuple[int, int, str, int]]:
    """Counters above zero: GPU, link, kind, number."""
    found = []
    gpu = -1
    for line in text.splitlines():
        head, error = _GPU.match(line), _ERRORS.match(line)
        if head:
            gpu = int(head.group(1))
        elif error and int(error.group(3)):
            found.append((gpu, int(error.group(1)), error.group(2), int(error.group(3))))
    return found
