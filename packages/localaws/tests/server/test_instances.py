"""Deleted resources do not remain in memory; moto's dashboard still lists the others."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import boto3
import pytest
from moto.core.common_models import BaseModel

from clusterwright_localaws import local_aws
from clusterwright_localaws.server.instances import Instances


def _keys() -> list[str]:
    from moto.s3.models import FakeKey

    gc.collect()
    return sorted(key.name for key in FakeKey.instances_tracked)


def test_deleted_objects_of_s3_are_freed_and_others_listed() -> None:
    with local_aws():
        s3 = boto3.client("s3", region_name="us-east-1")
        s3.create_bucket(Bucket="instances-of-models")
        for number in range(3):
            s3.put_object(Bucket="instances-of-models", Key=f"{number}", Body=b"x" * 1000)
        assert _keys() == ["0", "1", "2"]
        for number in range(2):
            s3.delete_object(Bucket="instances-of-models", Key=f"{number}")
        assert _keys() == ["2"]


def test_overwritten_objects_of_s3_are_freed() -> None:
    with local_aws():
        s3 = boto3.client("s3", region_name="us-east-1")
        s3.create_bucket(Bucket="instances-of-models")
        for _ in range(5):
            s3.put_object(Bucket="instances-of-models", Key="same", Body=b"x")
        assert _keys() == ["same"]


class _Model(BaseModel):
    """A model of no service."""


def test_list_of_a_reset_is_replaced_and_keeps_its_objects() -> None:
    from clusterwright_localaws.server.install import install

    install()
    first: Any = _Model()
    _Model.instances_tracked = [first]
    second: Any = _Model()
    assert list(_Model.instances_tracked) == [first, second]
    del first
    gc.collect()
    assert list(_Model.instances_tracked) == [second]
    assert len(_Model.instances_tracked) == 1


def test_object_without_weak_references_is_held() -> None:
    with pytest.raises(TypeError):
        weakref.ref((1, 2))
    found = Instances()
    found.append((1, 2))
    assert list(found) == [(1, 2)]
