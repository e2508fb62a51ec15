"""The account's defaults of instance metadata suit the nodes."""

from __future__ import annotations

import re
from typing import Final

from clusterwright.aws.ec2.account_settings import MetadataDefaults as Defaults
from clusterwright.preflight.facts.account_settings import MetadataDefaults
from clusterwright.preflight.rule import (
    Context,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
)

TAG_KEY: Final = re.compile(r"[0-9a-zA-Z\-_+=,.@:]{1,255}")
"""Keys that instance metadata can show (EC2 user guide, tags in instance metadata)."""


class InstanceMetadataDefaults(Rule[None]):
    id = "CW-I024"
    prevents = (
        "nodes without an instance metadata service, so that no program gets credentials and "
        "bootstrap fails; or launches that EC2 refuses because of a tag"
    )
    source = (
        "EC2 user guide, Configure the Instance Metadata Service options (order of precedence) "
        "and View tags for your EC2 instances using instance metadata; EC2 API, "
        "ModifyInstanceMetadataDefaults"
    )
    needs = (MetadataDefaults(),)

    def subjects(self, context: Context) -> Subjects[None]:
        # Launch templates of EKS and Karpenter's node classes set every option; HyperPod's
        # nodes are launched in an account of AWS.
        if context.platform.provider_stack:
            yield ("platform",), None

    def check(self, context: Context, facts: FactValues) -> Results:
        found = facts[MetadataDefaults()]
        if found.endpoint == "disabled":
            yield Fail(
                message="the account disables the instance metadata service of new instances, and "
                "ParallelCluster's launch templates do not enable it",
                requested="enabled",
                limit=found.endpoint,
                where=context.region,
                hint=_reset(found, "--http-endpoint"),
            )
        if found.tags != "enabled":
            return
        for key in context.cluster.tags:
            if not TAG_KEY.fullmatch(key):
                yield Fail(
                    message="the account shows the tags of new instances in their metadata, where "
                    f"the key {key!r} is not valid",
                    path=("tags", key),
                    requested=key,
                    limit="letters, digits and -_+=,.@:",
                    where=context.region,
                    hint=f"rename the tag; or: {_reset(found, '--instance-metadata-tags')}",
                )


def _reset(found: Defaults, option: str) -> str:
    if found.managed_by == "declarative-policy":
        return "a declarative policy of the organization sets it: ask for an exception there"
    return f"`aws ec2 modify-instance-metadata-defaults {option} no-preference`"
