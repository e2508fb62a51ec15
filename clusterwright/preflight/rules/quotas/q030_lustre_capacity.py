"""Capacity of Lustre file systems, by deployment type."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.storage import FileSystems
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.lustre_usage import (
    CAPACITY_CODES,
    built,
    class_of,
    standing,
)
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want


class LustreCapacityQuota(QuotaRule):
    id = "CW-Q030"
    title = "Lustre storage capacity"
    prevents = "CreateFileSystem fails with ServiceLimitExceeded: 100,800 GiB is the default"
    source = "AWS General Reference, FSx quotas"
    usage_facts = (FileSystems(),)

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        sizes: dict[str, list[tuple[int, Subject[object]]]] = {}
        for subject in built(context):
            fs = subject.value
            # Intelligent-Tiering and HDD have quotas of their own.
            if fs.capacity_gib and fs.storage_type == "SSD":
                found = Subject[object]((*subject.path, "capacity_gib"), fs)
                sizes.setdefault(class_of(fs.deployment_type), []).append((fs.capacity_gib, found))
        for kind, found_ in sizes.items():
            _, place = max(found_, key=lambda pair: pair[0])
            want = Want(
                amount=sum(size for size, _ in found_),
                what=f"Lustre {kind} file systems need",
                label=f"Lustre {kind.capitalize()} storage capacity",
                service="fsx",
                code=CAPACITY_CODES[kind],
                key=kind,
                unit="GiB",
            )
            yield Subject(place.path, want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        return [
            Use(fs.capacity_gib, context.stack_is_ours(fs.stack))
            for fs in standing(facts[FileSystems()], "LUSTRE")
            if class_of(fs.deployment_type) == want.key and fs.storage_type == "SSD"
        ]


RULE = LustreCapacityQuota()
