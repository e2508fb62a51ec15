"""Number of Lustre file systems, by deployment type."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.storage import FileSystems
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.lustre_usage import (
    COUNT_CODES,
    built,
    class_of,
    standing,
)
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want


class LustreCountQuota(QuotaRule):
    id = "CW-Q031"
    title = "Number of Lustre file systems"
    prevents = "CreateFileSystem fails with ServiceLimitExceeded: 100 of each kind are the default"
    source = "AWS General Reference, FSx quotas"
    usage_facts = (FileSystems(),)

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        counts: dict[str, list[Subject[object]]] = {}
        for subject in built(context):
            kind = class_of(subject.value.deployment_type)
            counts.setdefault(kind, []).append(Subject[object](subject.path, None))
        for kind, found in counts.items():
            want = Want(
                amount=len(found),
                what=f"{len(found)} new Lustre file system{'s' * (len(found) > 1)} "
                f"need{'s' * (len(found) == 1)}",
                label=f"Lustre {kind.capitalize()} file systems",
                service="fsx",
                code=COUNT_CODES[kind],
                key=kind,
            )
            yield Subject(found[0].path, want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        return [
            Use(1, context.stack_is_ours(fs.stack))
            for fs in standing(facts[FileSystems()], "LUSTRE")
            if class_of(fs.deployment_type) == want.key
        ]


RULE = LustreCountQuota()
