"""Nodes can meet the account's preferences for Session Manager."""

from __future__ import annotations

from clusterwright.aws.ssm import SessionPreferences as Preferences
from clusterwright.preflight.facts.account_settings import SessionKey, SessionPreferences
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

_LOGS = ("logs:CreateLogStream", "logs:DescribeLogGroups", "logs:PutLogEvents")
_BUCKET = ("s3:GetEncryptionConfiguration", "s3:PutObject")
_CHANGE = (
    "`aws ssm update-document --name SSM-SessionManagerRunShell` changes the preferences of the "
    "account and region"
)


class SessionPreferencesRule(Rule[None]):
    id = "CW-I025"
    prevents = (
        "a cluster that nobody can log in to: every session ends with `Fetching data key failed`, "
        "or `encryption is not set up on the selected CloudWatch Logs log group`"
    )
    source = (
        "Systems Manager user guide, Configure session preferences and Add Session Manager "
        "permissions to an existing IAM role; kirodotdev/KiroCrew #10229, "
        "aws/amazon-ssm-agent #198"
    )
    needs = (SessionPreferences(), SessionKey())

    def subjects(self, context: Context) -> Subjects[None]:
        if context.cluster.identity.session_manager:
            yield ("identity", "session_manager"), None

    def check(self, context: Context, facts: FactValues) -> Results:
        found = facts[SessionPreferences()]
        if found is None:
            return
        yield from self._key(found, context, facts)
        for what, actions in _destinations(found):
            yield Fail(
                message=f"the account's preferences for Session Manager log sessions to {what}, "
                f"for which the role of the nodes lacks {', '.join(actions)}",
                where=context.region,
                hint=f"log sessions without enforced encryption, or elsewhere: {_CHANGE}",
            )

    def _key(self, found: Preferences, context: Context, facts: FactValues) -> Results:
        if not found.key_id or _same_key(found.key_id, context.cluster.identity.kms_key_arn):
            return
        key = facts[SessionKey()]
        if key is None or key.key is None or key.key.state != "Enabled":
            state = "does not exist" if key is None or key.key is None else f"is {key.key.state}"
            yield Fail(
                message="the account's preferences for Session Manager encrypt sessions with "
                f"{found.key_id}, which {state}",
                where=context.region,
                hint=_CHANGE,
            )
            return
        cluster = context.cluster
        known = {
            "aws:PrincipalAccount": cluster.account,
            "kms:CallerAccount": cluster.account,
            "aws:PrincipalType": "AssumedRole",
        }
        asked = PolicyRequest("kms:Decrypt", key.key.arn, cluster.account, context=known)
        answer = allowed(key.policy or "{}", asked)
        if answer == "no":
            yield Fail(
                message="the account's preferences for Session Manager encrypt sessions with "
                f"{key.key.arn}, and neither its policy nor the role of the nodes allows them "
                "kms:Decrypt",
                where=key.key.arn,
                hint="allow the account's principals kms:Decrypt in the key policy, or "
                "identity.kms_key_arn with this key",
            )
        elif answer == "unknown":
            yield Unknown(
                message=f"whether the policy of {key.key.arn}, with which the account encrypts "
                "sessions, allows the nodes kms:Decrypt depends on values that are not known "
                "before the request",
            )


def _destinations(found: Preferences) -> list[tuple[str, tuple[str, ...]]]:
    """Where sessions must be logged with encryption: SSM Agent ends a session that cannot be."""
    logs = (f"the log group {found.log_group}", _LOGS)
    bucket = (f"s3://{found.bucket}", _BUCKET)
    return [
        *([logs] if found.log_group and found.log_group_encrypted else []),
        *([bucket] if found.bucket and found.bucket_encrypted else []),
    ]


def _same_key(name: str, cluster_key_arn: str | None) -> bool:
    return cluster_key_arn is not None and name in (
        cluster_key_arn,
        cluster_key_arn.rpartition("/")[2],
    )
