"""Kubernetes versions of EKS, and DescribeClusterVersions.

The calendar is that of "Understand the Kubernetes version lifecycle on EKS" (EKS user guide,
awsdocs/amazon-eks-user-guide, latest/ug/versioning/kubernetes-versions.adoc, commit 0138560); the
line of 1.35 is that of aws-samples.github.io/sample-apex-skills, "Cluster Lifecycle & Upgrades"
(2026-04-24), which states no release date. Later versions are not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.services.eks.lists import listed
from clusterwright_localaws.services.eks.state import bad_request, invalid

# A placeholder: platform versions are not sourced.
PLATFORM_VERSION = "eks.0"


@dataclass(frozen=True)
class Version:
    """One minor version; the days end at 00:00 UTC."""

    name: str
    released: datetime | None
    end_of_standard: datetime
    end_of_extended: datetime

    @property
    def minor(self) -> int:
        return int(self.name.split(".")[1])

    def status_at(self, now: datetime) -> str:
        if now < self.end_of_standard:
            return "STANDARD_SUPPORT"
        return "EXTENDED_SUPPORT" if now < self.end_of_extended else "UNSUPPORTED"


def _day(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day, tzinfo=UTC)


VERSIONS = (
    Version("1.35", None, _day(2027, 3, 27), _day(2028, 3, 27)),
    Version("1.34", _day(2025, 10, 2), _day(2026, 12, 2), _day(2027, 12, 2)),
    Version("1.33", _day(2025, 5, 29), _day(2026, 7, 29), _day(2027, 7, 29)),
    Version("1.32", _day(2025, 1, 23), _day(2026, 3, 23), _day(2027, 3, 23)),
    Version("1.31", _day(2024, 9, 26), _day(2025, 11, 26), _day(2026, 11, 26)),
    Version("1.30", _day(2024, 5, 23), _day(2025, 7, 23), _day(2026, 7, 23)),
    Version("1.29", _day(2024, 1, 23), _day(2025, 3, 23), _day(2026, 3, 23)),
)
NEWEST = VERSIONS[0]


def default_version() -> str:
    """Return the default version: AWS's is the latest; here the latest known."""
    return NEWEST.name


def creatable(name: str, now: datetime) -> bool:
    """Return whether new clusters may have a version: in standard or extended support.

    The newest version of the calendar never ends, since its successor is not known here.
    """
    return any(
        each.name == name and (each is NEWEST or each.status_at(now) != "UNSUPPORTED")
        for each in VERSIONS
    )


def check_creatable(name: str, now: datetime) -> None:
    """Refuse a version that is not available to new clusters.

    Raises
    ------
    AwsError
        InvalidParameterException, with AWS's message (awslabs/aws-devops-essential#25).
    """
    if not creatable(name, now):
        raise invalid("unsupported Kubernetes version")


def minor_of(name: str) -> int:
    return int(name.split(".")[1])


@operation("eks", "DescribeClusterVersions")
def describe_cluster_versions(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    chosen = request.get("clusterVersions")
    requested = request.get("versionStatus") or str(request.get("status") or "").upper().replace(
        "-", "_"
    )
    if request.get("status") and request.get("versionStatus"):
        raise bad_request("Specify only one of status and versionStatus.")
    found = []
    for each in VERSIONS:
        status = each.status_at(call.now)
        if (
            (chosen and each.name not in chosen)
            or (requested and status != requested)
            or (request.get("defaultOnly") and each.name != default_version())
            or (request.get("clusterType") not in (None, "eks"))
            # Unsupported versions are omitted unless requested or with includeAll.
            or (
                status == "UNSUPPORTED"
                and not (request.get("includeAll") or chosen or requested == "UNSUPPORTED")
            )
        ):
            continue
        found.append(_view(each, status))
    return listed(call, "clusterVersions", found)


def _view(version: Version, status: str) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "clusterVersion": version.name,
        "clusterType": "eks",
        "defaultPlatformVersion": PLATFORM_VERSION,
        "defaultVersion": version.name == default_version(),
        "endOfStandardSupportDate": version.end_of_standard,
        "endOfExtendedSupportDate": version.end_of_extended,
        "status": status.lower().replace("_", "-"),
        "versionStatus": status,
    }
    return {**answer, "releaseDate": version.released} if version.released else answer
