"""Throughput of Intelligent-Tiering Lustre file systems."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.storage import FileSystems
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.lustre_usage import built, standing
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want


class TieringThroughputQuota(QuotaRule):
    id = "CW-Q032"
    title = "Intelligent-Tiering throughput"
    prevents = "CreateFileSystem fails with ServiceLimitExceeded: 100,000 MBps are the default"
    source = "AWS General Reference, FSx quotas"
    usage_facts = (FileSystems(),)

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        found = [s for s in built(context) if s.value.storage_type == "INTELLIGENT_TIERING"]
        amount = sum(subject.value.throughput_mbps or 0 for subject in found)
        if amount:
            want = Want(
                amount=amount,
                what="Intelligent-Tiering file systems need",
                label="Lustre Persistent Intelligent-Tiering throughput capacity",
                service="fsx",
                code="L-0CD18A5D",
                unit="MBps",
            )
            yield Subject((*found[0].path, "throughput_mbps"), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        del want
        return [
            Use(fs.throughput_mbps, context.stack_is_ours(fs.stack))
            for fs in standing(facts[FileSystems()], "LUSTRE")
            if fs.storage_type == "INTELLIGENT_TIERING"
        ]


RULE = TieringThroughputQuota()
