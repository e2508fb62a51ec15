"""Tests of services.s3.missing_objects."""

from __future__ import annotations

import pytest

from packages.localaws.tests.iam.conftest import ADMIN, allow, refused, user
from packages.localaws.tests.parts import client, refusal

READ = allow("s3:GetObject", "arn:aws:s3:::bucket/*")
LIST = allow("s3:ListBucket", "arn:aws:s3:::bucket")


@pytest.mark.usefixtures("enforced")
def test_who_may_not_list_the_bucket_does_not_learn_what_is_missing() -> None:
    ADMIN("s3").create_bucket(Bucket="bucket")
    ADMIN("s3").put_object(Bucket="bucket", Key="there", Body=b"x")
    reader, lister = user("ann", READ)("s3"), user("bob", READ, LIST)("s3")
    status, code, message = refused(reader.get_object, Bucket="bucket", Key="none")
    assert (status, code) == (403, "AccessDenied")
    assert message.endswith(
        'is not authorized to perform: s3:ListBucket on resource: "arn:aws:s3:::bucket" because '
        "no identity-based policy allows the s3:ListBucket action"
    )
    assert refused(reader.head_object, Bucket="bucket", Key="none")[0] == 403
    assert refused(lister.get_object, Bucket="bucket", Key="none")[:2] == (404, "NoSuchKey")
    assert refused(lister.head_object, Bucket="bucket", Key="none")[0] == 404
    assert reader.get_object(Bucket="bucket", Key="there")["ContentLength"] == 1


@pytest.mark.usefixtures("aws")
def test_without_permissions_a_missing_object_is_said_to_be_missing() -> None:
    client("s3").create_bucket(Bucket="bucket")
    assert refusal(client("s3").get_object, Bucket="bucket", Key="none")[0] == "NoSuchKey"
