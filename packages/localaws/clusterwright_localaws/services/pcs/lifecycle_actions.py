"""Node lifecycle actions of compute node groups, with the API model's defaults and rules."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.services.pcs.state import invalid

_MEMBER: Final = "nodeLifecycleActions"
_DEFAULTS: Final = {"onError": "TERMINATE", "executionPolicy": "FIRST_BOOT_ONLY"}
_CACHING: Final = "CACHE_ONCE"


def completed(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request's actions with defaults (botocore 1.44.5, NodeLifecycleScript).

    Raises
    ------
    AwsError
        ValidationException: two scripts of a stage have one name, or a version of S3 is stated
        for a script that is not in S3.
    """
    found: dict[str, Any] = {"scriptCachingPolicy": _CACHING, **copy.deepcopy(dict(asked))}
    for stage, scripts in found["stages"].items():
        names = [script["name"] for script in scripts]
        if len(set(names)) < len(names):
            raise invalid(f"{_MEMBER}.stages.{stage}", "Names of scripts must be unique.")
        for script in scripts:
            source = script["scriptSource"]
            if source.get("s3VersionId") and not source["scriptLocation"].startswith("s3://"):
                raise invalid(
                    f"{_MEMBER}.stages.{stage}",
                    "s3VersionId is only valid when scriptLocation is an Amazon S3 URI.",
                )
        found["stages"][stage] = [{**_DEFAULTS, **script} for script in scripts]
    return found
