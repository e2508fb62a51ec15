"""Policy documents of requests: checked by their kind before an operation takes them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clusterwright_localaws.iam.document_kinds import (
    BUS,
    ENDPOINT,
    IDENTITY,
    KEY,
    LOGS,
    MANAGED,
    QUEUE,
    REPOSITORY,
    SECRET,
    TOPIC,
    TRUST,
    Has,
    Kind,
)
from clusterwright_localaws.iam.known_principals import unknown_principal
from clusterwright_localaws.iam.policy import MalformedPolicy, Policy, Problem, read_policy

# The member of a request with a policy, as a dotted path, and its kind. S3 checks its own.
# Permissions boundaries are managed policies: their documents are those of CreatePolicy.
DOCUMENTS: Final[Mapping[tuple[str, str], tuple[str, Kind]]] = {
    ("ec2", "CreateVpcEndpoint"): ("PolicyDocument", ENDPOINT),
    ("ec2", "ModifyVpcEndpoint"): ("PolicyDocument", ENDPOINT),
    ("ecr", "SetRepositoryPolicy"): ("policyText", REPOSITORY),
    ("events", "PutPermission"): ("Policy", BUS),
    ("iam", "CreatePolicy"): ("PolicyDocument", MANAGED),
    ("iam", "CreatePolicyVersion"): ("PolicyDocument", MANAGED),
    ("iam", "CreateRole"): ("AssumeRolePolicyDocument", TRUST),
    ("iam", "PutGroupPolicy"): ("PolicyDocument", IDENTITY),
    ("iam", "PutRolePolicy"): ("PolicyDocument", IDENTITY),
    ("iam", "PutUserPolicy"): ("PolicyDocument", IDENTITY),
    ("iam", "UpdateAssumeRolePolicy"): ("PolicyDocument", TRUST),
    ("kms", "CreateKey"): ("Policy", KEY),
    ("kms", "PutKeyPolicy"): ("Policy", KEY),
    ("kms", "ReplicateKey"): ("Policy", KEY),
    ("logs", "PutResourcePolicy"): ("policyDocument", LOGS),
    ("secretsmanager", "PutResourcePolicy"): ("ResourcePolicy", SECRET),
    ("sns", "CreateTopic"): ("Attributes.Policy", TOPIC),
    ("sns", "SetTopicAttributes"): ("AttributeValue", TOPIC),
    ("sqs", "CreateQueue"): ("Attributes.Policy", QUEUE),
    ("sqs", "SetQueueAttributes"): ("Attributes.Policy", QUEUE),
    ("sts", "AssumeRole"): ("Policy", IDENTITY),
    ("sts", "AssumeRoleWithSAML"): ("Policy", IDENTITY),
    ("sts", "AssumeRoleWithWebIdentity"): ("Policy", IDENTITY),
    ("sts", "GetFederationToken"): ("Policy", IDENTITY),
}


def check_request(
    service: str, operation: str, parameters: Mapping[str, Any], account: str
) -> None:
    """Refuse a request with a policy document that its service would not take.

    Raises
    ------
    AwsError
    """
    entry = DOCUMENTS.get((service, operation))
    if entry is None:
        return
    path, kind = entry
    if path == "AttributeValue" and parameters.get("AttributeName") != "Policy":
        return
    text: Any = parameters
    for name in path.split("."):
        text = (text or {}).get(name)
    if text:
        check(str(text), kind, account)


def check(text: str, kind: Kind, account: str) -> Policy:
    """Return the policy of a text.

    Parameters
    ----------
    account:
        The account of what the policy is attached to.

    Raises
    ------
    AwsError
        The kind's refusal.
    """
    if kind.before is not None:
        kind.before(text)
    try:
        if kind.longest and len(text.encode()) > kind.longest:
            raise MalformedPolicy("The policy is too long", Problem.SIZE)
        if not kind.repeated:
            _refuse_repeated(text)
        policy = read_policy(text, kind="resource")
        for problem in _problems(policy, kind):
            raise problem
        if kind.exist:
            _check_principals(policy, kind, account)
    except MalformedPolicy as error:
        raise kind.refusal(error) from error
    return policy


def _problems(policy: Policy, kind: Kind) -> Iterator[MalformedPolicy]:
    if not policy.statements:
        yield MalformedPolicy("Syntax errors in policy.", Problem.EMPTY)
    for one in policy.statements:
        if one.actions == () or one.not_actions == ():
            yield MalformedPolicy("Policy statement must contain actions.", Problem.ACTION)
        who = one.principal is not None or one.not_principal is not None
        if kind.principal is not Has.MAYBE and who != (kind.principal is Has.ALWAYS):
            wrong = Problem.NO_PRINCIPALS if who else Problem.PRINCIPAL
            yield MalformedPolicy(wrong.value, wrong)
        if kind is TRUST and one.not_principal is not None:
            yield MalformedPolicy("A trust policy cannot have NotPrincipal.", Problem.SCOPE)
        what = bool(one.resources or one.not_resources)
        if kind.resource is not Has.MAYBE and what != (kind.resource is Has.ALWAYS):
            wrong = Problem.NO_RESOURCES if what else Problem.RESOURCE
            yield MalformedPolicy(wrong.value, wrong)
        if kind is TOPIC:
            yield from _beyond_topics((*(one.actions or ()), *(one.not_actions or ())))
    ids = [one.sid for one in policy.statements]
    if kind.sids and len(ids) > 1 and ("" in ids or len(set(ids)) < len(ids)):
        yield MalformedPolicy(Problem.SIDS.value, Problem.SIDS)
    if kind in (IDENTITY, MANAGED, TRUST):
        for sid in ids:
            if not (sid.isascii() and sid.isalnum()) and sid:
                yield MalformedPolicy(
                    "Statement IDs (SID) must be alpha-numeric. Check that your input satisfies "
                    "the regular expression [0-9A-Za-z]*",
                    Problem.SIDS,
                )


def _beyond_topics(named: tuple[str, ...]) -> Iterator[MalformedPolicy]:
    """Yield problems with actions that no topic has; SNS takes no `SNS:*` either."""
    from moto.sns.models import VALID_POLICY_ACTIONS

    of_topics = {one.lower() for one in VALID_POLICY_ACTIONS}
    for action in named:
        vendor, _, name = action.lower().partition(":")
        if not name or "*" in vendor or "?" in vendor:
            continue
        wild = name != "*" and any(sign in name for sign in "*?")
        if vendor != "sns" or not (wild or name in of_topics):
            yield MalformedPolicy(Problem.SCOPE.value, Problem.SCOPE, action)


def _check_principals(policy: Policy, kind: Kind, account: str) -> None:
    if kind is TRUST and any(
        one.principal is not None and one.principal.everybody for one in policy.statements
    ):
        # As users quote it: aws/aws-cdk#5732. {"AWS": "*"} is taken.
        raise MalformedPolicy(
            'AssumeRolepolicy contained an invalid principal: "STAR":"*".', Problem.SCOPE
        )
    found = unknown_principal(policy, account)
    if found is None:
        return
    name, value = found
    if kind is TRUST and name == "Federated":
        raise MalformedPolicy(
            "Federated principals must be valid domain names or SAML metadata ARNs",
            Problem.SCOPE,
        )
    quoted = f'"{name.upper()}":"{value}"'
    raise MalformedPolicy(f"Invalid principal in policy: {quoted}", Problem.WHO, quoted)


def _refuse_repeated(text: str) -> None:
    """Refuse a document with an object that has a key twice.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_policies.html
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            raise MalformedPolicy(Problem.REPEATED.value, Problem.REPEATED)
        return made

    json.loads(text, object_pairs_hook=once)
