"""OpenZFS throughput of the account."""

from __future__ import annotations

from clusterwright.aws.fsx import FileSystem
from clusterwright.cluster_spec.models.storage import Home
from clusterwright.preflight.rules.quotas.openzfs_usage import OpenZfsQuota


class OpenZfsThroughputQuota(OpenZfsQuota):
    id = "CW-Q036"
    title = "OpenZFS throughput"
    prevents = "CreateFileSystem fails with ServiceLimitExceeded: 10,240 MBps are the default"
    code, label, unit = "L-4EDE4065", "OpenZFS throughput capacity", "MBps"
    key = "throughput_mbps"

    def wanted(self, home: Home) -> float:
        return home.throughput_mbps

    def used(self, file_system: FileSystem) -> float:
        return file_system.throughput_mbps


RULE = OpenZfsThroughputQuota()
