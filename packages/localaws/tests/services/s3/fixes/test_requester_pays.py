"""Tests of services.s3.fixes.requester_pays."""

from __future__ import annotations

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client, refusal

SEED = {"name": "shared-corpus", "account": "999988887777", "requester_pays": True}
PAYS = {"Bucket": "shared-corpus", "RequestPayer": "requester"}


def test_other_accounts_have_to_accept_the_cost() -> None:
    with local_aws(buckets=[SEED]):
        s3 = client("s3")
        assert refusal(s3.head_bucket, Bucket="shared-corpus")[0] == "403"
        assert refusal(s3.list_objects_v2, Bucket="shared-corpus")[0] == "AccessDenied"
        assert refusal(s3.get_object, Bucket="shared-corpus", Key="a")[0] == "AccessDenied"
        assert s3.put_object(**PAYS, Key="a", Body=b"x")["RequestCharged"] == "requester"
        listed = s3.list_objects_v2(**PAYS)
        assert (listed["KeyCount"], listed["RequestCharged"]) == (1, "requester")
        read = s3.get_object(**PAYS, Key="a")
        assert (read["Body"].read(), read["RequestCharged"]) == (b"x", "requester")


def test_owner_and_other_buckets_are_not_charged() -> None:
    own = {**SEED, "account": None}
    open_to_all = {**SEED, "requester_pays": False}
    for seed in (own, open_to_all):
        with local_aws(buckets=[seed]):
            s3 = client("s3")
            s3.head_bucket(Bucket="shared-corpus")
            assert "RequestCharged" not in s3.list_objects_v2(**PAYS)
