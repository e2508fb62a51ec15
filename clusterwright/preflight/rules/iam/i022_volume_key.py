"""Instances can use the account's default key for encrypted volumes."""

from __future__ import annotations

from clusterwright.preflight.facts.buckets import DefaultVolumeKey
from clusterwright.preflight.rule import (
    Context,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
    Unknown,
)
from clusterwright.preflight.rules.iam.policy_evaluation import PolicyRequest, allowed
from clusterwright.preflight.rules.storage.fsx_access import dns_suffix

_ACTIONS = (
    "kms:CreateGrant",
    "kms:Decrypt",
    "kms:DescribeKey",
    "kms:GenerateDataKeyWithoutPlaintext",
    "kms:ReEncryptFrom",
    "kms:ReEncryptTo",
)
_HINT = (
    "allow these actions to the account in the key policy, with kms:ViaService "
    "ec2.{region}.{suffix}, as the policy of alias/aws/ebs does; or "
    "`aws ec2 reset-ebs-default-kms-key-id`"
)


class VolumeKeyRule(Rule[None]):
    id = "CW-I022"
    prevents = (
        "nodes that terminate as soon as they start, with `Client.InternalError: Client error on "
        "launch`: the account's own key for volumes, which the spec does not name, is not "
        "available to the role that launches them"
    )
    source = (
        "EBS user guide, Requirements for Amazon EBS encryption; aws/aws-parallelcluster #3667, "
        "aws/karpenter-provider-aws #1407"
    )
    needs = (DefaultVolumeKey(),)

    def subjects(self, context: Context) -> Subjects[None]:
        # Launch templates of EKS name the cluster's key; HyperPod's volumes are in its account.
        if context.platform.provider_stack or context.platform.service_runs_controller:
            yield ("platform",), None

    def check(self, context: Context, facts: FactValues) -> Results:
        found = facts[DefaultVolumeKey()]
        if found is None:
            return
        if found.key is None or found.key.state != "Enabled":
            state = "does not exist" if found.key is None else f"is {found.key.state}"
            yield Fail(
                message=f"the account encrypts volumes with {found.id}, which {state}",
                where=context.region,
                hint="`aws ec2 reset-ebs-default-kms-key-id`, or choose another key",
            )
            return
        cluster = context.cluster
        suffix = dns_suffix(context)
        known = {
            "kms:ViaService": f"ec2.{context.region}.{suffix}",
            "kms:CallerAccount": cluster.account,
            "aws:PrincipalAccount": cluster.account,
            "kms:GrantIsForAWSResource": "true",
        }
        questions = [
            PolicyRequest(action, found.key.arn, cluster.account, context=known)
            for action in _ACTIONS
        ]
        answers = {q.action: allowed(found.policy or "{}", q) for q in questions}
        missing = sorted(action for action, answer in answers.items() if answer == "no")
        hint = _HINT.format(region=context.region, suffix=suffix)
        if missing:
            yield Fail(
                message=f"the account encrypts volumes with {found.key.arn}, whose policy does "
                f"not allow the roles that launch nodes {', '.join(missing)}; their own policies "
                "allow no key",
                where=found.key.arn,
                hint=hint,
            )
        elif "unknown" in answers.values():
            yield Unknown(
                message=f"whether the policy of {found.key.arn}, with which the account encrypts "
                "volumes, allows the roles that launch nodes depends on values that are not "
                "known before the request",
                hint=hint,
            )
