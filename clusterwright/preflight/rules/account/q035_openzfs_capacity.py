"""OpenZFS storage capacity of the account."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.storage import FileSystems
from clusterwright.preflight.lustre_use import others
from clusterwright.preflight.quota import QuotaRule, Want
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

    def used(self, want: Want, context: Context, facts: FactValues) -> float:
        del want
        return sum(fs.capacity_gib for fs in others(facts[FileSystems()], context, "OPENZFS"))


RULE = OpenZfsCapacityQuota()
