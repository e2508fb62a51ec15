"""Findings of a policy that are accepted, each beside the resource that it is about."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import IConstruct


def acknowledge(construct: IConstruct, rule: str, reason: str) -> None:
    """Accept `rule` (`AwsSolutions-IAM5[Resource::*]`) for `construct` and what is below it."""
    cdk.Validations.of(construct).acknowledge(cdk.Acknowledgment(id=rule, reason=reason))
