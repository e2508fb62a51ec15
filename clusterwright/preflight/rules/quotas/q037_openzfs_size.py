"""Capacity of one OpenZFS file system."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Want


class OpenZfsSizeQuota(QuotaRule):
    id = "CW-Q037"
    title = "OpenZFS storage capacity per file system"
    prevents = "CreateFileSystem fails with ServiceLimitExceeded: 524,288 GiB are the default"
    source = "AWS General Reference, FSx quotas"
    usage_facts = ()

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        home = context.cluster.storage.home
        if home is not None and home.existing is None and home.capacity_gib is not None:
            want = Want(
                home.capacity_gib,
                "home directories need",
                "OpenZFS SSD storage capacity (per file system)",
                "fsx",
                "L-7D5FDD38",
                unit="GiB",
            )
            yield Subject(("storage", "home", "capacity_gib"), want)


RULE = OpenZfsSizeQuota()
