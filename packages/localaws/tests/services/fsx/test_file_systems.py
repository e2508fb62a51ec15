"""File systems and their associations through boto3."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.fsx_requests import create, find, lustre
from packages.localaws.tests.parts import Site, build_site, client, open_lustre_ports, refusal

P2 = {"DeploymentType": "PERSISTENT_2"}
AUTOMATIC = {"MetadataConfiguration": {"Mode": "AUTOMATIC"}}
EFA = {**P2, **AUTOMATIC, "EfaEnabled": True}


@pytest.fixture
def open_site(site: Site) -> Site:
    open_lustre_ports(site, efa=True)
    return site


def refused(request: dict[str, Any]) -> tuple[str, str]:
    return refusal(client("fsx").create_file_system, **request)


def test_file_system_is_described(open_site: Site) -> None:
    made = create(
        lustre(
            open_site,
            4800,
            **EFA,
            PerUnitStorageThroughput=1000,
            Tags=[{"Key": "a", "Value": "1"}],
        )
    )
    name = made["FileSystemId"]
    assert len(name) == len("fs-") + 17
    assert made["DNSName"] == f"{name}.fsx.us-east-1.amazonaws.com"
    assert len(made["LustreConfiguration"]["MountName"]) == 8
    assert made["LustreConfiguration"]["MetadataConfiguration"] == {
        "Mode": "AUTOMATIC",
        "Iops": 6000,
    }
    assert made["FileSystemTypeVersion"] == "2.15"
    assert made["Tags"] == [{"Key": "a", "Value": "1"}]


def test_token_is_idempotent(open_site: Site) -> None:
    request = lustre(open_site, 1200, DeploymentType="SCRATCH_2", ClientRequestToken="t")
    assert create(request)["FileSystemId"] == create(request)["FileSystemId"]
    code, _ = refused({**request, "StorageCapacity": 2400})
    assert code == "IncompatibleParameterError"


class TestUpdate:
    def test_capacity_increases_to_valid_values(self, open_site: Site) -> None:
        made = create(lustre(open_site, 1200, DeploymentType="SCRATCH_2"))
        fsx = client("fsx")
        answer = fsx.update_file_system(FileSystemId=made["FileSystemId"], StorageCapacity=2400)
        assert answer["FileSystem"]["Lifecycle"] == "UPDATING"
        assert find(made["FileSystemId"])["StorageCapacity"] == 2400
        for capacity in (1200, 3600):
            code, _ = refusal(
                fsx.update_file_system,
                FileSystemId=made["FileSystemId"],
                StorageCapacity=capacity,
            )
            assert code == "BadRequest"

    def test_the_tier_of_an_efa_file_system_is_fixed(self, open_site: Site) -> None:
        made = create(lustre(open_site, 38400, **EFA, PerUnitStorageThroughput=125))
        code, _ = refusal(
            client("fsx").update_file_system,
            FileSystemId=made["FileSystemId"],
            LustreConfiguration={"PerUnitStorageThroughput": 250},
        )
        assert code == "BadRequest"

    def test_metadata_iops_do_not_shrink(self, open_site: Site) -> None:
        made = create(
            lustre(
                open_site,
                1200,
                **P2,
                PerUnitStorageThroughput=125,
                MetadataConfiguration={"Mode": "USER_PROVISIONED", "Iops": 6000},
            )
        )
        code, message = refusal(
            client("fsx").update_file_system,
            FileSystemId=made["FileSystemId"],
            LustreConfiguration={
                "MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 3000}
            },
        )
        assert (code, "cannot be decreased" in message) == ("BadRequest", True)


def test_states_take_their_delay() -> None:
    with local_aws(delays={"file_system": 60}) as runtime:
        site = build_site()
        open_lustre_ports(site)
        made = create(lustre(site, 1200, DeploymentType="SCRATCH_2"))
        assert made["Lifecycle"] == "CREATING"
        fsx, name = client("fsx"), made["FileSystemId"]
        assert refusal(fsx.delete_file_system, FileSystemId=name)[0] == "BadRequest"
        runtime.clock.advance(61)
        assert find(name)["Lifecycle"] == "AVAILABLE"
        fsx.delete_file_system(FileSystemId=name)
        assert find(name)["Lifecycle"] == "DELETING"
        held = site.free_addresses()
        runtime.clock.advance(61)
        assert site.free_addresses() == held + 2
        assert refusal(fsx.describe_file_systems, FileSystemIds=[name])[0] == "FileSystemNotFound"


def test_file_systems_of_moto_are_replaced(aws: Runtime) -> None:
    code, message = refusal(
        client("fsx").describe_file_caches,
    )
    assert (code, message) == (
        "UnknownOperationException",
        "the local AWS does not implement fsx DescribeFileCaches",
    )
