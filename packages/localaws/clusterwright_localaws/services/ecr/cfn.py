"""Container image repositories."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.cloudformation.handler import Context, Created, Handler, Properties
from clusterwright_localaws.cloudformation.handler_helpers import (
    changed,
    lower_first,
    policy_text,
    retag,
)


class Repository(Handler):
    type_name = "AWS::ECR::Repository"
    unsupported_properties = frozenset({"ImageTagMutabilityExclusionFilters"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        ecr = ctx.client("ecr")
        name = properties.get("RepositoryName") or ctx.generated_name(max_length=256, lower=True)
        parameters: dict[str, Any] = {"repositoryName": name}
        if "ImageTagMutability" in properties:
            parameters["imageTagMutability"] = properties["ImageTagMutability"]
        if "ImageScanningConfiguration" in properties:
            parameters["imageScanningConfiguration"] = _scanning(properties)
        if "EncryptionConfiguration" in properties:
            parameters["encryptionConfiguration"] = lower_first(
                properties["EncryptionConfiguration"]
            )
        tags = ctx.tags(properties.get("Tags"))
        if tags:
            parameters["tags"] = tags
        ecr.create_repository(**parameters)
        ctx.identify(name)
        self._set_policies(ecr, name, {}, properties)
        return self._created(ecr, name)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        ecr = ctx.client("ecr")
        if changed(old, new, "ImageTagMutability"):
            ecr.put_image_tag_mutability(
                repositoryName=physical_id,
                imageTagMutability=new.get("ImageTagMutability", "MUTABLE"),
            )
        if changed(old, new, "ImageScanningConfiguration"):
            ecr.put_image_scanning_configuration(
                repositoryName=physical_id, imageScanningConfiguration=_scanning(new)
            )
        self._set_policies(ecr, physical_id, old, new)
        created = self._created(ecr, physical_id)
        arn = created.attributes["Arn"]
        retag(ctx, "ecr", old, new, resourceArn=arn)
        return created

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("ecr").delete_repository(
            repositoryName=physical_id, force=properties.get("EmptyOnDelete", False)
        )

    def _set_policies(self, ecr: Any, name: str, old: Properties, new: Properties) -> None:
        if changed(old, new, "LifecyclePolicy"):
            text = new.get("LifecyclePolicy", {}).get("LifecyclePolicyText")
            if text:
                ecr.put_lifecycle_policy(repositoryName=name, lifecyclePolicyText=text)
            else:
                ecr.delete_lifecycle_policy(repositoryName=name)
        if changed(old, new, "RepositoryPolicyText"):
            if "RepositoryPolicyText" in new:
                ecr.set_repository_policy(
                    repositoryName=name, policyText=policy_text(new["RepositoryPolicyText"])
                )
            else:
                ecr.delete_repository_policy(repositoryName=name)

    def _created(self, ecr: Any, name: str) -> Created:
        found = ecr.describe_repositories(repositoryNames=[name])["repositories"][0]
        return Created(
            name, {"Arn": found["repositoryArn"], "RepositoryUri": found["repositoryUri"]}
        )


def _scanning(properties: Properties) -> dict[str, bool]:
    scanning = properties.get("ImageScanningConfiguration", {})
    # The schema leaves this a string.
    return {"scanOnPush": str(scanning.get("ScanOnPush", False)).lower() == "true"}
