"""Error codes of AWS by the words of their names."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.aws_errors import cause, meaning, waiter


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("UnauthorizedOperation", "denied"),
        ("ExpiredTokenException", "credentials"),
        ("RequestTimeTooSkewed", "clock"),
        ("TooManyRequestsException", "throttled"),
        ("InsufficientInstanceCapacity", "capacity"),
        ("ServiceQuotaExceededException", "quota"),
        ("KMSInvalidStateException", "KMS"),
        ("InvalidVolume.NotFound", "does not exist"),
        ("ResourceInUseException", "in use"),
        ("OptInRequired", "not enabled"),
        ("InternalFailure", "failed internally"),
        ("RequestTimeout", "too slow"),
        ("ValidationException", "invalid request"),
    ],
)
def test_code_has_a_meaning(code: str, words: str) -> None:
    assert words in (meaning(code) or "")


def test_cause_names_the_operation_and_the_resource() -> None:
    said = cause(
        {
            "code": "NoSuchKey",
            "operation": "GetObject",
            "message": "no key at s3://prod-data/train/0.bin.",
        }
    )
    assert said is not None
    assert "(GetObject) on s3://prod-data/train/0.bin: NoSuchKey: no key" in said
    assert cause({"code": "Frob"}) is None


def test_waiter_says_what_is_waited_for() -> None:
    assert "(Nodegroup Active)" in waiter({"waiter": "NodegroupActive", "message": "x"})
