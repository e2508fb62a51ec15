"""Tags comply with the organization's tag policy."""

from __future__ import annotations

from clusterwright.aws.organizations import TagKeyPolicy
from clusterwright.platforms.tagged_types import covered, tagged_types
from clusterwright.platforms.tags import ENVIRONMENT_TAG
from clusterwright.preflight.facts.organization import EffectiveTagPolicy
from clusterwright.preflight.rule import (
    Context,
    FactValues,
    Fail,
    Results,
    Rule,
    Severity,
    Subjects,
)

_SHOWN = 3
Tag = tuple[str, str]


class OrganizationTags(Rule[Tag | None]):
    """The subjects are the tags, and None for missing tags."""

    id = "CW-E009"
    prevents = (
        "TagPolicyViolation (EC2; other services use other names) while a stack is created, if "
        "the policy is enforced for a resource type of the stacks; otherwise a report of "
        "noncompliant resources. An account without an organization or a tag policy passes"
    )
    source = (
        "Organizations API, DescribeEffectivePolicy; Organizations user guide, tag policy syntax, "
        "enforcement, and `Enforce Required tag key with IaC`"
    )

    def subjects(self, context: Context) -> Subjects[Tag | None]:
        cluster = context.cluster
        for key, value in cluster.tags.items():
            yield ("tags", key), (key, value)
        yield ("environment",), (ENVIRONMENT_TAG, cluster.environment)
        yield ("required_tags",) if cluster.required_tags else ("environment",), None

    needs = (EffectiveTagPolicy(),)

    def check(self, tag: Tag | None, context: Context, facts: FactValues) -> Results:
        made = tagged_types(context.cluster)
        for policy in facts[EffectiveTagPolicy()] or ():
            if tag is None:
                yield from _missing(policy, context, made)
            elif policy.key.lower() == tag[0].lower():
                yield from _noncompliant(policy, *tag, made)


def _noncompliant(policy: TagKeyPolicy, key: str, value: str, made: frozenset[str]) -> Results:
    refused = covered(policy.enforced_for, made)
    effect = (
        f"it is enforced for {_few(refused)}, which the stacks create"
        if refused
        else "the resources are noncompliant, but are not refused"
    )
    severity: Severity | None = None if refused else "warning"
    own = key == ENVIRONMENT_TAG  # set by the stacks: the spec cannot change it
    if policy.key != key:
        yield Fail(
            message=f"the tag policy spells the tag `{key}` as `{policy.key}`: {effect}",
            requested=key,
            limit=policy.key,
            hint="ask for an exception for this key" if own else f"write `{policy.key}`",
            severity=severity,
        )
    if not policy.allows(value):
        allowed = policy.values or ()
        yield Fail(
            message=f"the tag policy does not allow `{value}` for `{policy.key}`: {effect}",
            requested=value,
            limit=_few(allowed) if allowed else "no value",
            hint=_allowed_instead(policy, allowed, own=own),
            severity=severity,
        )


def _allowed_instead(policy: TagKeyPolicy, allowed: tuple[str, ...], *, own: bool) -> str:
    if allowed:
        return f"{'an environment named' if own else 'one of'} {_few(allowed)}"
    return "ask for an exception for this key" if own else f"remove `{policy.key}`"


def _missing(policy: TagKeyPolicy, context: Context, made: frozenset[str]) -> Results:
    requiring = covered(policy.required_for, made)
    present = {key.lower() for key in (*context.cluster.tags, ENVIRONMENT_TAG)}
    if requiring and policy.key.lower() not in present:
        yield Fail(
            message=f"the tag policy requires `{policy.key}` for {_few(requiring)}: without it "
            "they are reported, and CloudFormation refuses them if the account has the hook "
            "AWS::TagPolicies::TaggingComplianceValidator",
            requested=policy.key,
            hint=f"tags: {{{policy.key}: ...}}",
            severity="warning",
        )


def _few(names: tuple[str, ...]) -> str:
    left = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {left} more" if left > 0 else "")
