"""OpenZFS storage capacity of the account."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.storage import FileSystems
from clusterwright.preflight.lustre_use import standing
from clusterwright.preflight.quota import QuotaRule, Use, Want
from clusterwright.preflight.rule import Subject


class OpenZfsCapacityQuota(QuotaRule):
    id = "CW-Q035"
    title = "OpenZFS storage capacity"
    prevents = "CreateFileSystem fails with ServiceLimitExceeded"
    source = "AWS General Reference, FSx quotas"
    usage_facts = (FileSystems(),)

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        home = context.cluster.storage.home
        if home is not None and home.existing is None:
            want = Want(
                amount=home.capacity_gib or 0,
                what="home directories need",
                label="OpenZFS SSD storage capacity",
                service="fsx",
                code="L-88479C21",
                unit="GiB",
            )
            yield Subject(("storage", "home", "capacity_gib"), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        del want
        return [
            Use(fs.capacity_gib, context.stack_is_ours(fs.stack))
            for fs in standing(facts[FileSystems()], "OPENZFS")
        ]


RULE = OpenZfsCapacityQuota()
