"""Records of gres.conf of a compute node group, and their agreement with its setting Gres.

PCS user guide, "Configuring custom GRES settings in AWS PCS" (gres-custom-settings). Counts of
devices are compared where a record states `Count`; devices in `File` are not counted here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from clusterwright_localaws.services.pcs.settings import names, values
from clusterwright_localaws.services.pcs.state import invalid
from clusterwright_localaws.services.pcs.versions import at_least

ATTRIBUTES: Final = names("AutoDetect Name Type Count Cores Links Flags File MultipleFiles")
AUTODETECT_SINCE: Final = "25.11"
# "skips the count check for shared GRES"
_SHARED: Final = frozenset({"mps", "shard"})
_MEMBER: Final = "slurmConfiguration.gresCustomSettings"
_GRES: Final = "slurmConfiguration.slurmCustomSettings"


@dataclass(frozen=True)
class _Entry:
    """One entry of the setting Gres: `name[:type]:count`."""

    name: str
    type: str | None
    count: int | None


def check(configuration: Mapping[str, Any], version: str) -> None:
    """Check the GRES records of a group's Slurm configuration.

    Raises
    ------
    AwsError
        ValidationException.
    """
    stated = configuration.get("gresCustomSettings")
    if stated is not None and not stated:
        raise invalid(_MEMBER, f"{_MEMBER} must not be empty.")
    records = [_record(one, version) for one in stated or ()]
    gpu = [one for one in records if _is_gpu(one)]
    if len(gpu) > 1:
        raise invalid(_MEMBER, "A compute node group can have at most one GPU record.")
    for text in values(configuration, "Gres"):
        for entry in _entries(text):
            _check_entry(entry, records)


def _record(stated: Mapping[str, str], version: str) -> dict[str, str]:
    known = {name.lower() for name in ATTRIBUTES}
    for name in stated:
        if name.lower() not in known:
            raise invalid(_MEMBER, f"The gres.conf attribute {name} isn't supported.")
    record = {name.lower(): value for name, value in stated.items()}
    if "autodetect" in record and not at_least(version, AUTODETECT_SINCE):
        raise invalid(
            _MEMBER,
            f"AutoDetect requires Slurm version {AUTODETECT_SINCE} or later; the cluster has "
            f"{version}.",
        )
    if "name" not in record and not _detects(record):
        raise invalid(
            _MEMBER, "A gres.conf record must declare a Name or an active AutoDetect value."
        )
    if record.get("name", "").lower() == "gpu" and not (
        {"file", "multiplefiles"} & record.keys() or _detects(record)
    ):
        raise invalid(
            _MEMBER,
            "A GPU record must specify File or MultipleFiles without an active AutoDetect value.",
        )
    return record


def _detects(record: Mapping[str, str]) -> bool:
    return record.get("autodetect", "off").lower() != "off"


def _is_gpu(record: Mapping[str, str]) -> bool:
    return record.get("name", "").lower() == "gpu" or "autodetect" in record


def _entries(text: str) -> Iterator[_Entry]:
    for part in text.split(","):
        name, *rest = part.strip().split(":")
        count = int(rest.pop()) if rest and rest[-1].isdecimal() else None
        yield _Entry(name.lower(), rest[0] if rest else None, count)


def _check_entry(entry: _Entry, records: list[dict[str, str]]) -> None:
    named = [
        one
        for one in records
        if one.get("name", "").lower() == entry.name or (entry.name == "gpu" and _is_gpu(one))
    ]
    if not named:
        raise invalid(_GRES, f"The Gres entry {entry.name} has no record in gresCustomSettings.")
    if any(_detects(one) for one in named):
        return  # devices that Slurm discovers at boot have any count and type
    types = {one["type"] for one in named if "type" in one}
    if entry.name == "gpu" and entry.type is not None and types and entry.type not in types:
        raise invalid(
            _GRES,
            f"The Gres entry gpu has the type {entry.type}, its record {', '.join(types)}.",
        )
    counts = [one.get("count", "") for one in named]
    if entry.count is None or entry.name in _SHARED or not all(map(str.isdecimal, counts)):
        return
    if entry.count > sum(map(int, counts)):
        raise invalid(
            _GRES,
            f"The Gres entry {entry.name} has the count {entry.count}, its records "
            f"{sum(map(int, counts))}.",
        )
