"""What the acceptance of a node says, and which causes say the same more exactly.

The reasons are those of `lifecycle_scripts/clusterwright_acceptance`: `CHECK: TEXT`, or a text
where the node was not tested to the end. They say what was measured, so no signature of log lines
looks for its words in them, except those named here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from clusterwright.diagnosis.model import Evidence, Finding

KIND: Final = "acceptance"
PREFIX: Final = "acceptance-"
"""Of the ids of the signatures of acceptance."""

_CHECK: Final = re.compile(r"([a-z][a-z0-9-]{1,40}): ")
_XIDS: Final = frozenset({"xid-replace", "xid-reboot", "sxid", "gpu-lost"})
_MEMORY: Final = frozenset({"gpu-ecc", "gpu-row-remap"})
_LINKS: Final = frozenset(
    {"nvlink", "fabric-manager", "fabric-manager-version", "fabric-kernel-module"}
)
_FULL: Final = frozenset({"disk-full", "disk-quota"})
_GPU: Final = _XIDS | _MEMORY | _LINKS | {"gpu-thermal", "dcgm", "dcgm-test"}
_NEURON: Final = frozenset({"neuron-device", "neuron-memory-error"})
_EFA: Final = frozenset({"efa-device"})

MORE_EXACT: Final[Mapping[tuple[str, str], frozenset[str]]] = {
    ("xid", "replace"): frozenset({"xid-replace", "gpu-lost"}),
    ("xid", "reboot"): frozenset({"xid-reboot"}),
    ("gpu-count", "replace"): frozenset({"gpu-lost"}),
    # A full file system is full after a reboot too.
    ("mounts", "reboot"): _FULL,
    ("mounts", "replace"): _FULL,
}
"""Signatures that a reason may have in place of those of acceptance, by check and action."""

EXPLAINED_BY: Final[Mapping[str, frozenset[str]]] = {
    "xid": _XIDS,
    "gpu-count": _XIDS,
    "gpu-health": _GPU,
    "nvlink": _XIDS | _LINKS,
    "nvlink-allreduce": _XIDS | _LINKS,
    "dcgm-medium": _GPU,
    "dcgm-extended": _GPU,
    "deep-health-check": _GPU | _NEURON | _EFA,
    "host-copy": _XIDS,
    "hbm-copy": _XIDS | _MEMORY,
    "gemm": _XIDS | _MEMORY,
    "training-step": _XIDS | _MEMORY,
    "neuron-devices": _NEURON,
    "neuron-allreduce": _NEURON,
    "efa-devices": _EFA,
    "efa-loopback": _EFA,
    "mounts": frozenset({"lustre-client", "lustre-module", "lustre-mount", "lustre-not-mounted"}),
}
"""Signatures of other evidence of the same node that are the cause of what a check found."""


def of_record(name: str, record: Mapping[str, Any]) -> Evidence | None:
    """The evidence in a node's record (`acceptance` in `state/scheduler.json`), without its time;
    None unless the node was rejected or its state is unknown.
    """
    state = record.get("state")
    if state not in ("rejected", "unknown"):
        return None
    reason = str(record.get("reason") or "no reason was given")
    check = _CHECK.match(reason)
    return Evidence(
        kind=KIND,
        source="",
        id=f"acceptance {name}",
        time=None,
        text=f"acceptance {state}: {reason}",
        node=name,
        failed=True,
        fields={
            "check": check.group(1) if check is not None else "",
            "action": str(record.get("action") or ""),
        },
    )


def may_match(evidence: Evidence, signature: str) -> bool:
    """Whether a signature may be looked for in evidence; only acceptance limits them."""
    if evidence.kind != KIND or signature.startswith(PREFIX):
        return True
    key = evidence.fields.get("check", ""), evidence.fields.get("action", "")
    return signature in MORE_EXACT.get(key, ())


def is_verdict(finding: Finding) -> bool:
    """Whether a finding is what acceptance says, without a cause that is more exact."""
    return finding.signature.startswith(PREFIX)


def is_explained(verdict: Finding, cause: Finding) -> bool:
    """Whether a cause on the same nodes is what the check of a verdict has found."""
    check = verdict.evidence[0].fields.get("check", "")
    same = set(verdict.resources) <= set(cause.resources)
    return same and cause.signature in EXPLAINED_BY.get(check, ())
