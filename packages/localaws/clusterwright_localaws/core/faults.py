"""Fault injection: which calls fail, and how."""

from __future__ import annotations

import threading
from collections.abc import Sequence

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
