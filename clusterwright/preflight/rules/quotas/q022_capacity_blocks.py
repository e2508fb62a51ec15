"""vCPUs of each family in capacity blocks, on platforms that run on EC2."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.catalog import Known
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.reservations import Reservations
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.compute_groups import by_type, largest
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want
from clusterwright.preflight.rules.reservations.reservation_rule import ENDED, by_reservation


class CapacityBlockQuota(QuotaRule):
    id = "CW-Q022"
    title = "EC2 quota of vCPUs in capacity blocks"
    prevents = (
        "a capacity block of that size cannot be bought, nor the next one that replaces it: the "
        "quota of vCPUs in concurrent blocks is 0 in a new account"
    )
    source = "AWS documentation, EC2 instance quotas and Capacity Blocks for ML"
    usage_facts = (Reservations(),)

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        if "capacity-block" not in context.platform.capacity_kinds:
            return
        for instance_type, groups in by_type(context.groups("capacity-block")).items():
            count = sum(group.count for _, group in groups)
            quota = context.catalog.quota_for(instance_type, "capacity-block")
            instance = context.catalog.instance(instance_type)
            vcpus = instance.vcpus if instance else None
            what = f"{count} × {instance_type} need"
            if isinstance(quota, Known) and quota.value.code and isinstance(vcpus, Known):
                want = Want(
                    count * vcpus.value,
                    what,
                    quota.value.name,
                    "ec2",
                    quota.value.code,
                    key=instance_type,
                    unit="vCPU",
                )
            else:
                reason = getattr(quota, "reason", f"the vCPUs of {instance_type} are unknown")
                want = Want(count, what, "capacity blocks", "ec2", None, reason=reason)
            yield Subject(largest(groups), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        # The blocks of this spec hold what is requested: counting them again would count it twice.
        own = {use.id for use in by_reservation(context)}
        for one in facts[Reservations()]:
            instance = context.catalog.instance(one.instance_type)
            same = one.instance_type.partition(".")[0] == want.key.partition(".")[0]
            if one.kind != "capacity-block" or one.state in ENDED or not same or instance is None:
                continue
            if isinstance(instance.vcpus, Known):
                yield Use(one.total_count * instance.vcpus.value, one.id in own)


RULE = CapacityBlockQuota()
