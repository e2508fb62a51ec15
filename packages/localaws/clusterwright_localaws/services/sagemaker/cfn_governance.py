"""Task governance of HyperPod: cluster policies and compute quotas. ``Ref`` is the ARN."""

from __future__ import annotations

from typing import Any, ClassVar

from clusterwright_localaws.cloudformation.handler import (
    Context,
    Created,
    Handler,
    Properties,
)
from clusterwright_localaws.cloudformation.handler_helpers import (
    delete_settled,
    pick,
    ready,
    retag,
)


class _Policy(Handler):
    """Base class of both kinds: `kind` is the API's name, `changeable` the members of an
    update.
    """

    kind: ClassVar[str] = ""
    method: ClassVar[str] = ""
    changeable: ClassVar[tuple[str, ...]] = ()

    def create(self, ctx: Context, properties: Properties) -> Created:
        made = self._call(
            ctx,
            "create",
            **pick(properties, "Name", "ClusterArn", *self.changeable),
            **ctx.tagging(properties),
        )
        arn = str(made[f"{self.kind}Arn"])
        ctx.identify(arn)
        return self._settled(ctx, arn)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        before, after = pick(old, *self.changeable), pick(new, *self.changeable)
        if before != after:
            found = self._call(ctx, "describe", **self._id(physical_id))
            self._call(
                ctx,
                "update",
                **self._id(physical_id),
                TargetVersion=found[f"{self.kind}Version"],
                **after,
            )
        retag(
            ctx, "sagemaker", old, new, calls=("add_tags", "delete_tags"), ResourceArn=physical_id
        )
        return self._settled(ctx, physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        delete_settled(
            ctx,
            lambda: self._call(ctx, "describe", **self._id(physical_id))["Status"],
            lambda: self._call(ctx, "delete", **self._id(physical_id)),
            physical_id,
        )

    def _settled(self, ctx: Context, arn: str) -> Created:
        found = ready(
            ctx,
            lambda: self._call(ctx, "describe", **self._id(arn)),
            arn,
            status="Status",
            wanted=("Created", "Updated"),
            failure=lambda found: found.get("FailureReason"),
        )
        attributes = {
            f"{self.kind}{part}": found[f"{self.kind}{part}"] for part in ("Arn", "Id", "Version")
        }
        for name in ("CreationTime", "LastModifiedTime"):
            if name in found:
                attributes[name] = found[name].isoformat()
        return Created(arn, {**attributes, "Status": found["Status"]})

    def _id(self, arn: str) -> dict[str, str]:
        return {f"{self.kind}Id": arn.rsplit("/", 1)[-1]}

    def _call(self, ctx: Context, verb: str, **parameters: Any) -> dict[str, Any]:
        method = getattr(ctx.client("sagemaker"), f"{verb}_{self.method}")
        answer: dict[str, Any] = method(**parameters)
        return answer


class ClusterSchedulerConfig(_Policy):
    """A cluster policy."""

    type_name = "AWS::SageMaker::ClusterSchedulerConfig"
    kind = "ClusterSchedulerConfig"
    method = "cluster_scheduler_config"
    changeable = ("SchedulerConfig", "Description")


class ComputeQuota(_Policy):
    """A compute allocation of a team."""

    type_name = "AWS::SageMaker::ComputeQuota"
    kind = "ComputeQuota"
    method = "compute_quota"
    changeable = ("ComputeQuotaConfig", "ComputeQuotaTarget", "ActivationState", "Description")
