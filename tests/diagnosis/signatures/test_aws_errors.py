"""Signatures of the family `aws_errors`, with messages as SDKs write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, of_log, signature_of

CASES = (
    (
        "stack-event",
        "Volume of size 30GB is smaller than snapshot 'snap-0194da2e1369f5937', expect size >= 50GB",
        "volume-size",
    ),
    (
        "log",
        "CREATE_FAILED Volume of size 50GB is smaller than  snapshot 'snap-1', expect size >= 100GB "
        "(Service: AmazonEC2; Status Code: 400; Error Code: InvalidBlockDeviceMapping)",
        "volume-size",
    ),
    (
        "log",
        "Error: error creating EKS Cluster (mlops): InvalidParameterException: unsupported Kubernetes version",
        "kubernetes-version",
    ),
    (
        "log",
        "An error occurred (InvalidParameterValue) when calling the CreateTags operation: Invalid tag",
        "aws-error",
    ),
    (
        "log",
        "operation error EKS: CreateNodegroup, api error ResourceInUse: it exists",
        "aws-error",
    ),
    (
        "log",
        "x (Service: AmazonEC2; Status Code: 400; Error Code: InvalidVolume.NotFound)",
        "aws-error",
    ),
    ("log", "Client.InternalFrob: Client error on launch", "unknown"),
    ("log", "Waiter ClusterActive failed: Max attempts exceeded", "aws-waiter"),
    ("log", "ERROR awscrt::S3MetaRequest: id=1: Request failed due to error 14", "s3-client"),
)


@pytest.mark.parametrize(("kind", "text", "signature"), CASES)
def test_message_has_its_signature(kind: str, text: str, signature: str) -> None:
    assert signature_of(kind, text) == (signature,)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("NETWORK_CONNECTION", "the connection failed"),
        ("ACCESS_DENIED", "access is denied"),
        ("NO_SUCH_BUCKET", "does not exist"),
        ("SLOW_DOWN", "throttled"),
        ("EXPIRED_TOKEN", "credentials"),
        ("INTERNAL_FAILURE", "failed internally"),
    ],
)
@pytest.mark.parametrize(
    "before",
    ["", 'Traceback (most recent call last):\n  File "/a/pyarrow/x.py", line 3, in f\n    g()\n'],
)
def test_errors_of_arrow_are_named_by_their_code(code: str, words: str, before: str) -> None:
    said = f"OSError: When reading key 'a': AWS Error {code} during HeadObject operation: No body."
    (found,) = findings(*of_log(f"{before}{said}"))
    assert found.cause.startswith("AWS: ")
    assert words in found.cause
    assert "(HeadObject)" in found.cause
