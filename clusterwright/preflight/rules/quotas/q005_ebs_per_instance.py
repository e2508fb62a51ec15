"""Size of the additional EBS volume of each HyperPod instance."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.platforms.hyperpod.instance_groups import ml_name
from clusterwright.preflight.context import Context
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Want


class EbsPerInstance(QuotaRule):
    id = "CW-Q005"
    title = "EBS volume size per HyperPod instance"
    prevents = (
        "CreateCluster fails with ResourceLimitExceeded: the default of 'maximum size of EBS "
        "volume in GB for a HyperPod cluster instance' is 0"
    )
    source = "AWS General Reference, SageMaker quotas"

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        if not context.on_hyperpod:
            return
        for path, group in context.groups():
            if group.ebs is not None and group.count:
                want = Want(
                    amount=group.ebs.capacity_gib,
                    what=f"each {ml_name(group.instance_type)} of `{group.name}` needs",
                    label="size of EBS volume for a HyperPod cluster instance",
                    service="sagemaker",
                    code="L-E13DF72A",
                    unit="GB",
                )
                yield Subject((*path, "ebs", "capacity_gib"), want)


RULE = EbsPerInstance()
