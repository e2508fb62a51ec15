"""What the quotas of FSx for OpenZFS have in common: one amount of each file system."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

from clusterwright.aws.fsx import FileSystem
from clusterwright.cluster_spec.models.storage import Home
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.facts.storage import FileSystems
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.lustre_usage import standing
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want


class OpenZfsQuota(QuotaRule):
    """Home directories that are built, against a quota of the account."""

    source = "AWS General Reference, FSx quotas"
    usage_facts: ClassVar[tuple[Fact[Any], ...]] = (FileSystems(),)
    code: ClassVar[str]
    label: ClassVar[str]
    unit: ClassVar[str] = ""
    key: ClassVar[str]
    """Where the amount stands in `storage.home`."""

    @abstractmethod
    def wanted(self, home: Home) -> float:
        """What the home directories take of the quota."""

    @abstractmethod
    def used(self, file_system: FileSystem) -> float:
        """What a file system that stands takes of it."""

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        home = context.cluster.storage.home
        if home is not None and home.existing is None:
            want = Want(
                amount=self.wanted(home),
                what="home directories need",
                label=self.label,
                service="fsx",
                code=self.code,
                unit=self.unit,
            )
            yield Subject(("storage", "home", self.key), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        del want
        return [
            Use(self.used(fs), context.stack_is_ours(fs.stack))
            for fs in standing(facts[FileSystems()], "OPENZFS")
        ]
