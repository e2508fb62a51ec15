"""The Lustre version supports the file system's features."""

from __future__ import annotations

from clusterwright.cluster_spec.models.storage import Lustre
from clusterwright.preflight.rule import Fail, Path, Results
from clusterwright.preflight.rules.group_rule import LustreRule


class LustreVersion(LustreRule):
    id = "CW-S016"
    prevents = "CreateFileSystem or CreateDataRepositoryAssociation fails with BadRequest"
    source = (
        "FSx CreateFileSystem, FileSystemTypeVersion, and CreateDataRepositoryAssociation "
        "(botocore 1.44.5)"
    )

    def check(self, fs: Lustre, path: Path) -> Results:
        wanted, feature = _needed(fs)
        if _number(fs.version) < _number(wanted):
            yield Fail(
                message=f"{feature} requires Lustre {wanted} or later, not {fs.version}",
                path=(*path, "version"),
                requested=fs.version,
                limit=wanted,
                hint='version: "2.15"',
            )


def _needed(fs: Lustre) -> tuple[str, str]:
    """The minimum version, and the feature that requires it."""
    if fs.metadata is not None:
        return "2.15", "a metadata configuration"
    if fs.efa:
        return "2.15", "EFA, which includes a metadata configuration,"
    if fs.deployment_type == "PERSISTENT_2":
        return "2.12", "PERSISTENT_2"
    if fs.repositories:
        return "2.12", "a repository"
    return "2.10", ""


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
