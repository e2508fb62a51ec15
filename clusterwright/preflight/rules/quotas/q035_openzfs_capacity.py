"""OpenZFS storage capacity of the account."""

from __future__ import annotations

from clusterwright.aws.fsx import FileSystem
from clusterwright.cluster_spec.models.storage import Home
from clusterwright.preflight.rules.quotas.openzfs_usage import OpenZfsQuota


class OpenZfsCapacityQuota(OpenZfsQuota):
    id = "CW-Q035"
    title = "OpenZFS storage capacity"
    prevents = "CreateFileSystem fails with ServiceLimitExceeded"
    code, label, unit = "L-88479C21", "OpenZFS SSD storage capacity", "GiB"
    key = "capacity_gib"

    def wanted(self, home: Home) -> float:
        return home.capacity_gib or 0

    def used(self, file_system: FileSystem) -> float:
        return file_system.capacity_gib


RULE = OpenZfsCapacityQuota()
