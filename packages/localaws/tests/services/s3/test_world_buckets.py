"""Buckets of the world: they exist from the start and belong to others."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.platforms.loading import load_cluster
from clusterwright_localaws import local_aws
from clusterwright_localaws.worlds.loading import built_in_worlds, load_world
from packages.localaws.tests.parts import Site, build_site, client, open_lustre_ports, refusal
from tools.lint.files import ROOT

SEED = {"name": "shared-corpus", "account": "999988887777", "region": "eu-north-1"}
CONFIGS = sorted(
    path
    for folder in ("configs", "configs/examples")
    for path in (ROOT / folder).glob("*.yaml")
    if path.name not in ("base.yaml", "prices.yaml")
)


def link(site: Site, bucket: str) -> str:
    fsx = client("fsx")
    made = fsx.create_file_system(
        FileSystemType="LUSTRE",
        StorageCapacity=1200,
        SubnetIds=[site.subnet_id],
        SecurityGroupIds=[site.group_id],
        LustreConfiguration={"DeploymentType": "SCRATCH_2"},
    )["FileSystem"]["FileSystemId"]
    association = fsx.create_data_repository_association(
        FileSystemId=made, FileSystemPath="/data", DataRepositoryPath=f"s3://{bucket}/a"
    )["Association"]
    return str(association["DataRepositoryPath"])


def test_bucket_of_the_world_is_readable_by_all_accounts() -> None:
    with local_aws(buckets=[SEED]):
        s3 = client("s3")
        s3.head_bucket(Bucket="shared-corpus")
        assert s3.get_bucket_location(Bucket="shared-corpus")["LocationConstraint"] == "eu-north-1"
        assert s3.list_buckets()["Buckets"] == []
        assert refusal(s3.create_bucket, Bucket="shared-corpus")[0] == "BucketAlreadyExists"


def test_fsx_can_link_a_bucket_of_the_world() -> None:
    with local_aws(buckets=[SEED]):
        site = build_site()
        open_lustre_ports(site)
        assert link(site, "shared-corpus") == "s3://shared-corpus/a"
        found, message = refusal(link, site=site, bucket="no-such-corpus")
        assert (found, "no-such-corpus" in message) == ("BadRequest", True)


@pytest.mark.parametrize("world", built_in_worlds())
def test_existing_buckets_of_all_configs_are_in_every_world(world: str) -> None:
    named: set[str] = set()
    for path in CONFIGS:
        storage = load_cluster(path).cluster.storage
        repositories = [each for lustre in storage.lustre for each in lustre.repositories]
        made = {bucket.name for bucket in storage.buckets if bucket.create}
        made |= {each.s3.split("/")[2] for each in repositories if each.create}
        named |= {bucket.name for bucket in storage.buckets if not bucket.create} - made
        named |= {each.s3.split("/")[2] for each in repositories if not each.create} - made
    assert named <= {seed.name for seed in load_world(world).buckets}
    assert len(named) >= 3


def test_bucket_of_the_world_requires_a_valid_name(tmp_path: Path) -> None:
    from clusterwright_localaws.worlds.loading import WorldError

    world = tmp_path / "world.yaml"
    world.write_text("extends: generous\nbuckets:\n  - {name: Not_A_Name}\n")
    with pytest.raises(WorldError, match=r"buckets\[0\].name"):
        load_world(world)
