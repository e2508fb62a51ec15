"""vCPUs of EC2: what a spec wants of each family's quota, and what runs already."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from clusterwright.catalog import Known, QuotaUse
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.facts.instances import Instances
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.compute_groups import largest
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want


class VcpuRule(QuotaRule):
    """vCPUs of each family, on platforms whose nodes are instances of EC2.

    HyperPod's instances count against SageMaker's quotas instead: there the rule has nothing to
    test. Instances of capacity blocks do not count either.
    """

    use: ClassVar[QuotaUse]
    usage_facts: ClassVar[tuple[Fact[Any], ...]] = (Instances(),)

    def wants(
        self, context: Context, groups: Iterable[tuple[Path, ComputeGroup]]
    ) -> Iterator[Subject[Want]]:
        """One want per quota."""
        if context.platform.on_hyperpod:
            return
        by_code: dict[str, list[tuple[Path, ComputeGroup, int]]] = {}
        names: dict[str, str] = {}
        for path, group in groups:
            if not group.count:
                continue
            quota = context.catalog.quota_for(group.instance_type, self.use)
            instance = context.catalog.instance(group.instance_type)
            vcpus = instance.vcpus if instance else None
            known = quota.value if isinstance(quota, Known) else None
            if known is None or known.code is None or not isinstance(vcpus, Known):
                reason = getattr(
                    quota, "reason", f"the vCPUs of {group.instance_type} are unknown"
                )
                what = f"{group.count} × {group.instance_type} need"
                want = Want(group.count, what, "vCPUs", "ec2", None, reason=reason)
                yield Subject((*path, "count"), want)
                continue
            names[known.code] = known.name
            by_code.setdefault(known.code, []).append((path, group, vcpus.value))
        for code, found in by_code.items():
            parts = " and ".join(f"{g.count} × {g.instance_type}" for _, g, _ in found)
            amount = sum(group.count * vcpus for _, group, vcpus in found)
            want = Want(amount, f"{parts} need", names[code], "ec2", code, key=code, unit="vCPU")
            yield Subject(largest((path, group) for path, group, _ in found), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        """vCPUs of running instances of the same quota."""
        spot = self.use == "ec2-spot"
        for instance in facts[Instances()]:
            if instance.lifecycle == "capacity-block" or (instance.lifecycle == "spot") != spot:
                continue
            quota = context.catalog.quota_for(instance.instance_type, self.use)
            if isinstance(quota, Known) and quota.value.code == want.key:
                yield Use(instance.vcpus, context.instance_is_ours(instance))
