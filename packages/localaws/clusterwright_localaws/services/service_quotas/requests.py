"""Quota increase requests: stored, answered as PENDING, and never granted."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field
from typing import Any

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.quotas import AppliedQuota


@dataclass
class Requests:
    """Return the requests of one account and region, oldest first."""

    entries: list[dict[str, Any]] = field(default_factory=list)

    def add(
        self, call: Call, quota: AppliedQuota, desired: float, described: dict[str, Any]
    ) -> dict[str, Any]:
        """Store a request.

        Raises
        ------
        AwsError
            ResourceAlreadyExistsException: one for the same quota is open.
        """
        for request in self.entries:
            if (request["ServiceCode"], request["QuotaCode"]) == (quota.service, quota.code):
                raise AwsError(
                    "ResourceAlreadyExistsException",
                    "Only one open service quota increase request is allowed per quota.",
                )
        request = {
            **described,
            "Id": secrets.token_hex(20),
            "DesiredValue": desired,
            "Status": "PENDING",
            "Created": call.now,
            "LastUpdated": call.now,
            "Requester": json.dumps({"accountId": call.account, "callerArn": _caller(call)}),
            "GlobalQuota": False,
            "QuotaRequestedAtLevel": "ACCOUNT",
        }
        self.entries.append(request)
        return request


def requests_of(call: Call) -> Requests:
    return call.runtime.store("quota-requests", call.account, call.region, Requests)


def _caller(call: Call) -> str:
    return f"arn:{call.partition}:iam::{call.account}:root"
