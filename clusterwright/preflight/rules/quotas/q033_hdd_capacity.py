"""Capacity of each HDD Lustre file system."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.lustre_usage import built
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Want


class HddCapacityQuota(QuotaRule):
    id = "CW-Q033"
    title = "HDD storage capacity per Lustre file system"
    prevents = "CreateFileSystem fails with ServiceLimitExceeded: 102,000 GiB is the default"
    source = "AWS General Reference, FSx quotas"

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        for subject in built(context):
            fs = subject.value
            if fs.storage_type == "HDD" and fs.capacity_gib:
                want = Want(
                    amount=fs.capacity_gib,
                    what=f"`{fs.name}` needs",
                    label="Lustre Persistent HDD storage capacity (per file system)",
                    service="fsx",
                    code="L-736F3D6F",
                    unit="GiB",
                )
                yield Subject((*subject.path, "capacity_gib"), want)


RULE = HddCapacityQuota()
