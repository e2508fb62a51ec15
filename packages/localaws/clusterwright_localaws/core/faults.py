"""Fault injection: which calls and which HyperPod nodes fail, and how."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from fnmatch import fnmatchcase

from clusterwright_localaws.worlds.injections import NodeFault, NodeMoment
from clusterwright_localaws.worlds.model import Fault

# AWS's status for the codes that are tested most; others are 400.
_STATUS = {
    "AccessDenied": 403,
    "AccessDeniedException": 400,
    "UnauthorizedOperation": 403,
    "ServiceUnavailable": 503,
    "ServiceUnavailableException": 503,
    "InternalFailure": 500,
    "InternalServerError": 500,
    "InternalError": 500,
    "SlowDown": 503,
}
# IAM's names where they differ from the service and its operation (service authorization
# reference).
_PREFIXES = {"service-quotas": "servicequotas", "amp": "aps", "resource-groups": "resource-groups"}
_ACTIONS = {
    ("s3", "HeadBucket"): "s3:ListBucket",
    ("s3", "ListObjectsV2"): "s3:ListBucket",
    ("s3", "HeadObject"): "s3:GetObject",
    ("s3", "ListBuckets"): "s3:ListAllMyBuckets",
}
_MESSAGES = {
    "ThrottlingException": "Rate exceeded",
    "Throttling": "Rate exceeded",
    "TooManyRequestsException": "Rate exceeded",
    "RequestLimitExceeded": "Request limit exceeded.",
}


class FaultBook:
    """Counts calls against the faults of a world."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self._faults = tuple(faults)
        self._seen = [0] * len(self._faults)
        self._lock = threading.Lock()

    def __bool__(self) -> bool:
        return bool(self._faults)

    def hits(self, service: str, operation: str) -> list[Fault]:
        """Return the faults that apply to this call; every call is counted once."""
        found = []
        with self._lock:
            for index, fault in enumerate(self._faults):
                if fault.service not in ("*", service) or fault.operation not in ("*", operation):
                    continue
                self._seen[index] += 1
                number = self._seen[index] - fault.after
                if number >= 1 and (fault.times is None or number <= fault.times):
                    found.append(fault)
        return found


class NodeFaultBook:
    """Counts nodes against the node faults of a world."""

    def __init__(self, faults: Sequence[NodeFault]) -> None:
        self._faults = tuple(faults)
        self._seen = [0] * len(self._faults)
        # Index of a fault and the logical id of a Running node that it has met.
        self._broken: set[tuple[int, str]] = set()
        self._lock = threading.Lock()

    def __bool__(self) -> bool:
        return bool(self._faults)

    def hit(
        self, cluster: str, group: str, number: int, at: NodeMoment, *, launched: bool = True
    ) -> NodeFault | None:
        """Return the first fault that applies to a node now; every match is counted once.

        `launched` is False before an instance is launched: only a lack of capacity applies then.
        """
        with self._lock:
            for index, fault in enumerate(self._faults):
                if (
                    fault.at != at
                    or fault.number not in (None, number)
                    or launched == (fault.outcome == "no-capacity" and at == "launch")
                    or not fnmatchcase(cluster, fault.cluster)
                    or not fnmatchcase(group, fault.group)
                ):
                    continue
                self._seen[index] += 1
                count = self._seen[index] - fault.after
                if count >= 1 and (fault.times is None or count <= fault.times):
                    return fault
        return None

    def breaks_running(self) -> bool:
        """Return whether a fault breaks nodes that are Running."""
        return any(fault.at == "running" for fault in self._faults)

    def hit_running(
        self, cluster: str, group: str, number: int, logical_id: str, ran_seconds: float
    ) -> NodeFault | None:
        """Return the first fault that breaks a Running node now; each breaks a node once."""
        with self._lock:
            for index, fault in enumerate(self._faults):
                if (
                    fault.at != "running"
                    or fault.number not in (None, number)
                    or ran_seconds < fault.after_seconds
                    or (index, logical_id) in self._broken
                    or not fnmatchcase(cluster, fault.cluster)
                    or not fnmatchcase(group, fault.group)
                ):
                    continue
                self._broken.add((index, logical_id))
                self._seen[index] += 1
                count = self._seen[index] - fault.after
                if count >= 1 and (fault.times is None or count <= fault.times):
                    return fault
        return None


def fault_status(fault: Fault) -> int:
    """Return the HTTP status of the fault's error code."""
    return fault.status or _STATUS.get(fault.error or "", 400)


def fault_message(fault: Fault, caller: str, service: str, operation: str) -> str:
    """Return AWS's message for the common codes, unless the fault has its own message."""
    if fault.message is not None:
        return fault.message
    code = fault.error or ""
    if code.startswith(("AccessDenied", "Unauthorized")):
        action = _ACTIONS.get(
            (service, operation), f"{_PREFIXES.get(service, service)}:{operation}"
        )
        return f"User: {caller} is not authorized to perform: {action}"
    return _MESSAGES.get(code, f"{code}: a fault of this world")
