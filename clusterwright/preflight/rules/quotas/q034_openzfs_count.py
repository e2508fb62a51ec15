"""Number of OpenZFS file systems."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.storage import FileSystems
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.lustre_usage import standing
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want


class OpenZfsCountQuota(QuotaRule):
    id = "CW-Q034"
    title = "Number of OpenZFS file systems"
    prevents = "CreateFileSystem fails with ServiceLimitExceeded: 100 are the default"
    source = "AWS General Reference, FSx quotas"
    usage_facts = (FileSystems(),)

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        home = context.cluster.storage.home
        if home is not None and home.existing is None:
            want = Want(1, "home directories need", "OpenZFS file systems", "fsx", "L-59D0763F")
            yield Subject(("storage", "home"), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        del want
        return [
            Use(1, context.stack_is_ours(fs.stack))
            for fs in standing(facts[FileSystems()], "OPENZFS")
        ]


RULE = OpenZfsCountQuota()
