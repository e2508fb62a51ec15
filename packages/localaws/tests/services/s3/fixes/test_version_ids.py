"""Tests of services.s3.fixes.version_ids."""

from __future__ import annotations

import re

import pytest

from clusterwright_localaws.services.s3.fixes.version_ids import is_version_id, version_id
from packages.localaws.tests.parts import client


def test_an_id_is_checked_by_its_last_characters() -> None:
    assert is_version_id(version_id("seed"))
    assert is_version_id("null")
    assert not is_version_id(version_id("seed")[:-4] + "ABCD")
    assert not is_version_id("")


@pytest.mark.usefixtures("aws")
def test_the_form_of_a_version_id() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    s3.put_bucket_versioning(Bucket="one", VersioningConfiguration={"Status": "Enabled"})
    version = s3.put_object(Bucket="one", Key="a", Body=b"x")["VersionId"]
    marker = s3.delete_object(Bucket="one", Key="a")["VersionId"]
    assert version != marker
    for one in (version, marker):
        assert re.fullmatch(r"[A-Za-z0-9._]{32}", one)
        assert is_version_id(one)
