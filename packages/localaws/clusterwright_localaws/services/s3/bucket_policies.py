"""Bucket policies that S3 refuses: their grammar, and resources and actions that do not apply.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-policies.html
https://docs.aws.amazon.com/AmazonS3/latest/userguide/security_iam_service-with-iam.html
Messages as users quote them: aws/aws-cli#2779 (a policy that is not JSON), versity/versitygw#645,
#648 and #650 (actions and resources), humanmade/S3-Uploads#239 (conditions), cloud-custodian#4948
(principals).
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator
from typing import Any, Final

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.iam import actions, documents
from clusterwright_localaws.iam.document_kinds import BUCKET
from clusterwright_localaws.iam.policy import Policy, Statement
from clusterwright_localaws.iam.wildcards import matches, pattern_of

# These keys are those of lists; of other keys it is not examined to which actions they apply.
_OF_LISTS: Final = frozenset({"s3:prefix", "s3:delimiter", "s3:max-keys"})
_LISTS: Final = frozenset({"s3:listbucket", "s3:listbucketversions"})


def check_bucket_policy(bucket: Any, given: Any) -> Policy:
    """Return the policy that PutBucketPolicy would keep.

    Raises
    ------
    AwsError
        MalformedPolicy.
    """
    text = given.decode("utf-8", "replace") if isinstance(given, bytes) else str(given)
    if not text.startswith("{"):
        raise malformed("Policies must be valid JSON and the first byte must be '{'")
    policy = documents.check(text, BUCKET, bucket.account_id)
    for statement in policy.statements:
        resources = statement.resources or ()
        if not all(_is_of(one, bucket.name) for one in resources):
            raise malformed("Policy has invalid resource")
        for action in (*(statement.actions or ()), *(statement.not_actions or ())):
            if not _named_by(action):
                raise malformed("Policy has invalid action")
        _check_combinations(statement)
    return policy


def malformed(message: str) -> AwsError:
    return AwsError("MalformedPolicy", message, 400)


def _is_of(resource: str, name: str) -> bool:
    parts = resource.split(":", 5)
    whose = parts[5].split("/", 1)[0] if len(parts) == 6 else ""
    return resource == "*" or (parts[0] == "arn" and fnmatch.fnmatchcase(name, whose))


def _check_combinations(statement: Statement) -> None:
    """Refuse actions with which no resource, or a condition, has to do."""
    listed = statement.resources
    kinds = None if listed is None else {kind for one in listed for kind in _kinds(one)}
    for action in statement.actions or ():
        found = _named_by(action)
        if kinds is not None and not any(kinds & _kinds_of(name) for name in found):
            raise malformed("Action does not apply to any resource(s) in statement")
        is_one = "*" not in action and "?" not in action
        if is_one and action.lower() not in _LISTS:
            keys = {one.key.lower() for one in statement.conditions}
            if keys & _OF_LISTS:
                raise malformed(
                    "Conditions do not apply to combination of actions and resources in statement"
                )


def _kinds(resource: str) -> Iterator[str]:
    """Yield what a resource may be: the bucket, its objects."""
    name = resource.split(":", 5)[-1]
    if "/" in name or name.endswith("*"):
        yield "object"
    if "/" not in name:
        yield "bucket"


def _named_by(action: str) -> list[str]:
    """Return the actions of S3 that an element of a policy names, in lower case."""
    pattern = pattern_of(action.lower())
    return [name for name in actions.names_of("s3") if matches(pattern, name)]


def _kinds_of(action: str) -> set[str]:
    known = actions.action_of(action)
    return {one.name for one in known.resource_types} if known is not None else set()
