"""Lifecycle scripts from S3."""

from __future__ import annotations

import io
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.platforms.hyperpod.script_download import Scripts


class S3:
    """Objects by key, with their ETags."""

    def __init__(self, **objects: str) -> None:
        self.objects = {key.replace("__", "/"): text for key, text in objects.items()}
        self.reads: list[str] = []
        self.refuses = False

    def get_paginator(self, _: str) -> Any:
        return self

    def paginate(self, Bucket: str, Prefix: str) -> list[dict[str, Any]]:  # noqa: N803
        if self.refuses:
            raise ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, "List")
        assert Bucket == "b"
        found = [key for key in self.objects if key.startswith(Prefix)]
        return [
            {"Contents": [{"Key": key, "ETag": self.objects[key]} for key in found[:1]]},
            {"Contents": [{"Key": key, "ETag": self.objects[key]} for key in found[1:]]},
            {},
        ]

    def get_object(self, Bucket: str, Key: str) -> dict[str, Any]:  # noqa: N803
        self.reads.append(Key)
        return {"Body": io.BytesIO(self.objects[Key].encode())}


def test_files_are_named_below_their_folder() -> None:
    s3 = S3(v1__on_create="x", v1__lib__a="y", v2__b="z")
    s3.objects["v1/"] = ""
    expected = {"on_create": b"x", "lib/a": b"y"}
    assert Scripts().fetch(s3, "s3://b/v1/") == expected
    assert Scripts().fetch(s3, "s3://b/v1") == expected
    assert set(Scripts().fetch(s3, "s3://b")) == {"v1/on_create", "v1/lib/a", "v2/b"}


def test_contents_are_read_once_unless_they_change() -> None:
    s3, scripts = S3(v1__a="x"), Scripts()
    scripts.fetch(s3, "s3://b/v1")
    scripts.fetch(s3, "s3://b/v1")
    assert s3.reads == ["v1/a"]
    s3.objects["v1/a"] = "y"
    assert scripts.fetch(s3, "s3://b/v1") == {"a": b"y"}


def test_permissions_are_checked_every_time() -> None:
    s3, scripts = S3(v1__a="x"), Scripts()
    scripts.fetch(s3, "s3://b/v1")
    s3.refuses = True
    with pytest.raises(RehearsalError, match=r"s3://b/v1: .*AccessDenied.*no"):
        scripts.fetch(s3, "s3://b/v1")


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("https://b/v1", "https://b/v1 is not an S3 URI"),
        ("s3://b/v9", "s3://b/v9 is empty"),
    ],
)
def test_what_is_no_folder_of_scripts(uri: str, message: str) -> None:
    with pytest.raises(RehearsalError, match=message):
        Scripts().fetch(S3(v1__a="x"), uri)
