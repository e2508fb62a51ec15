"""Accepted findings of linters, each on the resource that it is about.

cdk-nag and the CDK's own validation take acknowledgements of constructs. cfn-lint reads the
template, so its acknowledgements are in the resource's metadata, with the reason.
"""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
from constructs import IConstruct

from stacks.base import nag


def acknowledge(construct: IConstruct, rule: str, reason: str) -> None:
    """Accept `rule` (`AwsSolutions-IAM5[Resource::*]`) for `construct` and its children."""
    if rule.startswith("AwsSolutions-") and not nag.wanted():
        return  # nothing is checked, and an acknowledgement costs three calls of Node
    cdk.Validations.of(construct).acknowledge(cdk.Acknowledgment(id=rule, reason=reason))


def ignore_lint(resource: cdk.CfnResource, rule: str, reason: str) -> None:
    """Accept cfn-lint's `rule` (`E3644`) for one resource."""
    for key, value in _lint_metadata(rule, reason).items():
        resource.add_metadata(key, value)


def ignore_lint_everywhere(stack: cdk.Stack, rule: str, reason: str) -> None:
    """Accept cfn-lint's `rule` for a whole template: outputs cannot have metadata."""
    stack.template_options.metadata = _lint_metadata(rule, reason)


def _lint_metadata(rule: str, reason: str) -> dict[str, Any]:
    return {
        "cfn-lint": {"config": {"ignore_checks": [rule]}},
        "clusterwright": {"accepted": {rule: reason}},
    }
