"""OpenZFS throughput of the account."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.storage import FileSystems
from clusterwright.preflight.lustre_use import standing
from clusterwright.preflight.quota import QuotaRule, Use, Want
from clusterwright.preflight.rule import Subject


class OpenZfsThroughputQuota(QuotaRule):
    id = "CW-Q036"
    title = "OpenZFS throughput"
    prevents = "CreateFileSystem fails with ServiceLimitExceeded: 10,240 MBps are the default"
    source = "AWS General Reference, FSx quotas"
    usage_facts = (FileSystems(),)

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        home = context.cluster.storage.home
        if home is not None and home.existing is None:
            want = Want(
                amount=home.throughput_mbps,
                what="home directories need",
                label="OpenZFS throughput capacity",
                service="fsx",
                code="L-4EDE4065",
                unit="MBps",
            )
            yield Subject(("storage", "home", "throughput_mbps"), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        del want
        return [
            Use(fs.throughput_mbps, context.stack_is_ours(fs.stack))
            for fs in standing(facts[FileSystems()], "OPENZFS")
        ]


RULE = OpenZfsThroughputQuota()
