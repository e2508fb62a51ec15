"""State of FSx: ARNs, names, idempotent creation."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import pytest

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.fsx.state import (
    Association,
    Backup,
    Collection,
    FileSystem,
    Snapshot,
    Store,
    Task,
    Volume,
    incompatible,
    new_id,
    new_mount_name,
    store_of,
    tag_list,
    tag_map,
)
from clusterwright_localaws.worlds.model import World

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def file_system(region: str = "us-east-1", file_system_id: str = "fs-1") -> FileSystem:
    return FileSystem(
        id=file_system_id,
        kind="LUSTRE",
        account="111122223333",
        region=region,
        created_at=NOW,
        vpc_id="vpc-1",
        request={},
        interface_ids=[],
    )


def test_arns_of_each_resource() -> None:
    owner = file_system()
    volume = Volume(
        id="fsvol-1", file_system=owner, name="v", path="/v", created_at=NOW, configuration={}
    )
    base = "arn:aws:fsx:us-east-1:111122223333:"
    assert [
        owner.arn,
        Association(id="dra-1", file_system=owner, created_at=NOW, request={}).arn,
        volume.arn,
        Snapshot(id="fsvolsnap-1", volume=volume, name="s", created_at=NOW).arn,
        Backup(id="backup-1", file_system=owner, snapshot={}, request={}, created_at=NOW).arn,
        Task(id="task-1", file_system=owner, request={}, created_at=NOW).arn,
    ] == [
        f"{base}file-system/fs-1",
        f"{base}association/fs-1/dra-1",
        f"{base}volume/fs-1/fsvol-1",
        f"{base}snapshot/fsvol-1/fsvolsnap-1",
        f"{base}backup/backup-1",
        f"{base}task/task-1",
    ]


def test_china_has_its_own_partition_and_domain() -> None:
    found = file_system("cn-north-1")
    assert found.arn.startswith("arn:aws-cn:fsx:cn-north-1:")
    assert found.dns_name == "fs-1.fsx.cn-north-1.amazonaws.com.cn"


def test_defaults_of_a_request() -> None:
    found = file_system()
    assert (found.capacity_gib, found.storage_type) == (0, "SSD")
    found.lustre["DeploymentType"] = "SCRATCH_2"
    assert found.request == {"LustreConfiguration": {"DeploymentType": "SCRATCH_2"}}


def test_ids_and_mount_names_have_fsxs_format() -> None:
    assert re.fullmatch(r"fs-[0-9a-f]{17}", new_id("fs"))
    assert re.fullmatch(r"[a-z0-9]{8}", new_mount_name())


def test_tags_both_ways() -> None:
    pairs = [{"Key": "a", "Value": "1"}]
    assert tag_map(pairs) == {"a": "1"}
    assert tag_list({"a": "1"}) == pairs
    assert tag_map(None) == {}


def test_an_incompatible_parameter_is_named() -> None:
    found = incompatible("StorageType", "no")
    assert (found.code, found.message) == ("IncompatibleParameterError", "no")


def test_a_missing_file_system_is_not_found() -> None:
    store = Store(Runtime(World()), "111122223333", "us-east-1")
    store.file_systems["fs-1"] = found = file_system()
    assert store.file_systems.find("fs-1") is found
    with pytest.raises(AwsError, match="File system 'fs-2' does not exist") as caught:
        store.file_systems.find("fs-2")
    assert caught.value.code == "FileSystemNotFound"


class TestIdempotent:
    runtime = Runtime(World())

    def call(self, **parameters: Any) -> Call:
        return Call("fsx", "Create", "111122223333", "us-east-1", self.runtime, parameters)

    @pytest.fixture(autouse=True)
    def _fresh(self) -> None:
        self.runtime = Runtime(World())
        self.made = Collection[FileSystem]("File system", "FileSystemNotFound")

    def make(self) -> FileSystem:
        name = f"fs-{len(self.made)}"
        self.made[name] = file_system(file_system_id=name)
        return self.made[name]

    def create(self, **parameters: Any) -> str:
        return self.made.create(self.call(**parameters), self.make).id

    def test_a_token_is_answered_with_the_first_resource(self) -> None:
        assert self.create(ClientRequestToken="t", A=1) == "fs-0"
        assert self.create(ClientRequestToken="t", A=1) == "fs-0"
        assert self.create(ClientRequestToken="u", A=1) == "fs-1"
        assert self.create(A=1) == "fs-2"

    def test_other_parameters_are_refused(self) -> None:
        self.create(ClientRequestToken="t", A=1)
        with pytest.raises(AwsError, match="used before with different parameters") as caught:
            self.create(ClientRequestToken="t", A=2)
        assert caught.value.code == "IncompatibleParameterError"

    def test_a_deleted_resource_is_created_anew(self) -> None:
        self.create(ClientRequestToken="t")
        self.create()
        del self.made["fs-0"]
        assert self.create(ClientRequestToken="t") == "fs-1"

    def test_another_region_has_its_own_tokens(self) -> None:
        call = self.call()
        other = Call("fsx", "Create", "111122223333", "us-west-2", self.runtime)
        assert store_of(call) is store_of(call)
        assert store_of(call) is not store_of(other)
