"""Signatures of the family `permissions`, with messages as their sources write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, of_log, signature_of

CASES = (
    (
        "stack-event",
        "User: arn:aws:iam::1:user/a is not authorized to perform: ec2:RunInstances on resource: * with an explicit deny in a resource control policy",
        "explicit-deny",
    ),
    (
        "log",
        "An error occurred (AccessDenied) when calling the GetObject operation: Access Denied",
        "access-denied-unnamed",
    ),
    (
        "stack-event",
        "The role arn:aws:iam::111122223333:role/x cannot be assumed by sagemaker",
        "role-trust",
    ),
    (
        "log",
        "An error occurred (ResourceNotFoundException) when calling the GetSecretValue operation: Secrets Manager can't find the specified secret.",
        "secret-missing",
    ),
    (
        "node-group",
        "AsgInstanceLaunchFailures: Client.InternalError: Client error on launch",
        "ebs-key-denied",
    ),
    (
        "log",
        'Unable to locate credentials. You can configure credentials by running "aws configure".',
        "credentials",
    ),
    (
        "stack-event",
        "You are not authorized to use launch template: lt-0a1b2c3d4e5f60718",
        "launch-template-denied",
    ),
    (
        "scaling-activity",
        "One or more of the attached Amazon EBS volumes are encrypted with an inaccessible AWS KMS "
        "key.",
        "ebs-key-denied",
    ),
    (
        "stack-event",
        "The keyArn for encryptionConfig must be owned by caller's account.",
        "kms-key-account",
    ),
    (
        "stack-event",
        "The request was rejected because the specified key could not be found. "
        "[error=NotFoundException]",
        "kms-key-unusable",
    ),
)


@pytest.mark.parametrize(
    "text",
    [
        "You are not authorized to perform this operation.",
        "You are not authorized to launch instances with this launch template.",
        "Failed. Encoded authorization failure message: WFBz",
    ],
)
def test_refusal_of_aws_without_an_action(text: str) -> None:
    assert signature_of("log", text) == ("access-denied-unnamed",)


@pytest.mark.parametrize(("kind", "text", "signature"), CASES)
def test_message_has_its_signature(kind: str, text: str, signature: str) -> None:
    assert signature_of(kind, text) == (signature,)


@pytest.mark.parametrize(
    ("text", "signature"),
    [
        ("FSx association fs-1 is not in the state inactive", "lambda-not-active"),
        ("The endpoint is not in the state Active", "lambda-not-active"),
        ("OSError: You are not authorized to access meta-llama/a.", "access-denied-unnamed"),
        ("wandb: ERROR You are not authorized to write to a/b", "access-denied-unnamed"),
        ("remote: You are not authorized to download code", "access-denied-unnamed"),
    ],
)
def test_similar_line_of_another_cause(text: str, signature: str) -> None:
    assert signature not in signature_of("log", text)


def test_signature_of_another_time_is_the_clock_and_not_the_credentials() -> None:
    lines = (
        "[WARN] Encountered AWSError",
        "SignatureDoesNotMatch",
        "Signature expired: 20260606T095435Z is now earlier than 20260606T101920Z (- 5 min.):",
        "[WARN] If the signature check failed. This could be because of a time skew.",
    )
    (found,) = findings(*of_log("\n".join(lines)))
    assert found.signature == "aws-clock"
    (found,) = findings(*of_log(lines[1]))
    assert found.signature == "credentials"
