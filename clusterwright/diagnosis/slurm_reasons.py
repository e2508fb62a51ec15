"""The reasons that Slurm's daemons themselves give for a node that is down, drained or invalid.

They are a closed list. Source: SchedMD/slurm, the texts of `reason_down` in validate_node_specs
(src/slurmctld/node_mgr.c), of drain_nodes, set_node_down_ptr and set_node_reason in slurmctld, and
of stepd_drain_node in slurmd/slurmstepd (26.05, read 2026-11). Reasons whose words other
signatures know, such as fewer GPUs, are not here. `node_reasons.py` finds them in files.
"""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis.wording import meaning_of

_DIFFERS: Final = "slurmd: the node has another configuration than slurm.conf says"

REASONS: Final = (
    (
        r"CoreSpec differ",
        f"{_DIFFERS}: other cores are reserved for the system (CoreSpecCount, CpuSpecList); "
        "slurmd was started with another slurm.conf",
    ),
    (
        r"Low TmpDisk",
        f"{_DIFFERS}: its local disk (TmpFS) is smaller than TmpDisk, or is not mounted",
    ),
    (
        r"RestrictedCoresPerGP",
        f"{_DIFFERS}: RestrictedCoresPerGPU asks for more cores per GPU than its GPUs are near "
        "to, or it has no GPUs or their cores are not known (gres.conf)",
    ),
    (
        r"Reported active feat",
        f"{_DIFFERS}: it does not have the features that are active for it (helpers.conf, "
        "NodeFeaturesPlugins)",
    ),
    (
        r"Could not unpack gre|\w GRES (?:autodetecte|core (?:affin|specif))",
        f"{_DIFFERS}: its devices (gres.conf, AutoDetect) cannot be read, or their cores are not "
        "those of its sockets",
    ),
    (
        r"Failed to (?:parse dyna|set topolo)",
        f"{_DIFFERS}: the settings with which it registers itself (slurmd --conf) or its topology "
        "are not valid",
    ),
    (r"NO NETWORK ADDRESS F", "slurmctld: the address of the node cannot be resolved (DNS)"),
    (
        r"reboot timed out",
        "the node did not come back after a reboot before Slurm's ResumeTimeout",
    ),
    (
        r"Prolog/Epilog failur",
        "the prolog or the epilog failed on the node; Slurm drained it",
    ),
    (
        r"switch_g_job_postfin",
        "the plug-in of the interconnect (SwitchType) could not end a job on the node",
    ),
    (
        r"SlurmdSpoolDir is fu",
        "disk full: the folder of slurmd on the node (SlurmdSpoolDir) has no space left",
    ),
    (
        r"Bad core count",
        f"{_DIFFERS}: the count of its cores changed while jobs used it; restart slurmctld",
    ),
)
"""Words of a reason's first 20 characters, since `sinfo --list-reasons` prints no others, and what
is wrong.
"""

PATTERN: Final = "|".join(f"(?:{words})" for words, _ in REASONS)


def meaning(reason: str) -> str | None:
    """What is wrong with a node by Slurm's own reason; None for another reason."""
    said = meaning_of(REASONS, reason)
    return None if said is None else f"{said}: {reason}"
