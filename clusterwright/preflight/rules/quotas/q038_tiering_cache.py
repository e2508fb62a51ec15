"""SSD read cache of Intelligent-Tiering file systems."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.storage import FileSystems
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.lustre_usage import built, standing
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want


class TieringCacheQuota(QuotaRule):
    id = "CW-Q038"
    title = "Intelligent-Tiering read cache"
    prevents = "CreateFileSystem fails with ServiceLimitExceeded: 100,800 GiB are the default"
    source = "AWS General Reference, FSx quotas"
    usage_facts = (FileSystems(),)

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        sizes = [
            (subject.value.read_cache.capacity_gib, subject.path)
            for subject in built(context)
            if subject.value.read_cache is not None and subject.value.read_cache.capacity_gib
        ]
        if sizes:
            want = Want(
                sum(size for size, _ in sizes),
                "Intelligent-Tiering file systems need",
                "Lustre Persistent Intelligent-Tiering SSD read cache storage capacity",
                "fsx",
                "L-B7391FCE",
                unit="GiB",
            )
            yield Subject((*max(sizes)[1], "read_cache", "capacity_gib"), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        del want
        return [
            Use(fs.read_cache_gib, context.stack_is_ours(fs.stack))
            for fs in standing(facts[FileSystems()], "LUSTRE")
        ]


RULE = TieringCacheQuota()
