"""Terraform with the AWS provider, where the machine has both."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.clients import terraform
from tests.clients.programs import Done, Server, file
from tests.clients.sites import Site, site_in

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]

FIXTURES = Path(__file__).parent / "fixtures" / "terraform"
# `plan -detailed-exitcode`: 0 without changes, 2 with changes.
NOTHING, SOMETHING = 0, 2


class Project(NamedTuple):
    """One configuration in a separate folder."""

    server: Server
    folder: Path
    variables: dict[str, str]

    def __call__(self, command: str, *words: str, code: int = 0) -> Done:
        assert isinstance(terraform.FOUND, terraform.Terraform)
        mirror = f'filesystem_mirror {{ path = "{terraform.FOUND.mirror}" }}'
        settings = file(self.folder, "terraform.rc", f"provider_installation {{ {mirror} }}\n")
        return self.server.run(
            terraform.FOUND.program,
            command,
            "-no-color",
            *words,
            code=code,
            cwd=self.folder,
            TF_CLI_CONFIG_FILE=str(settings),
            AWS_ENDPOINT_URL_S3=self.server.s3_address,
            TF_IN_AUTOMATION="1",
            CHECKPOINT_DISABLE="1",
            **{f"TF_VAR_{name}": value for name, value in self.variables.items()},
        )

    def apply(self, **variables: str) -> str:
        self.variables.update(variables)
        return self("apply", "-input=false", "-auto-approve").out

    def plan(self, code: int) -> str:
        return self("plan", "-input=false", "-detailed-exitcode", code=code).out


def _project(server: Server, folder: Path, name: str, **variables: str) -> Project:
    shutil.copytree(FIXTURES / name, folder / name)
    project = Project(server, folder / name, variables)
    project("init", "-input=false")
    return project


@pytest.fixture(scope="module")
def site(aws: Server) -> Site:
    """A subnet and a security group that references itself, as Lustre with EFA requires."""
    found = site_in(aws)
    ec2 = aws.client("ec2")
    itself = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": found.group}]}]
    ec2.authorize_security_group_ingress(GroupId=found.group, IpPermissions=itself)
    ec2.authorize_security_group_egress(GroupId=found.group, IpPermissions=itself)
    aws.client("s3").create_bucket(Bucket="terraform-corpus")
    return found


@pytest.fixture(scope="module")
def storage(
    aws: Server, site: Site, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Future[Project]]:
    """File systems in creation: the provider sleeps for a minute, in parallel with other tests."""
    folder = tmp_path_factory.mktemp("terraform")

    def make() -> Project:
        project = _project(
            *(aws, folder, "storage"),
            subnet_id=site.subnet,
            security_group_id=site.group,
            bucket="terraform-corpus",
        )
        project.apply()
        return project

    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(make)


def test_cluster_resources_are_applied(
    aws: Server, storage: Future[Project], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """`apply` creates a VPC, endpoints, rules, a placement group, a launch template, a capacity
    reservation, keys, a bucket with its settings, roles, logs, a budget, a Prometheus workspace, a
    quota and a HyperPod cluster (`aws_cloudformation_stack`); a second `plan` is empty; a change
    is applied in place; `destroy` leaves nothing.
    """
    project = _project(aws, tmp_path_factory.mktemp("terraform"), "cluster")
    assert "Apply complete!" in project.apply()
    project.plan(NOTHING)
    shown = {name: one["value"] for name, one in project("output", "-json").data.items()}
    assert shown["cluster_arn"].startswith("arn:aws:sagemaker:us-east-1:")
    assert "use1-az6" in shown["zones_with_p5"]
    assert (shown["p5_gpus"], shown["p5_quota"]) == (8, 10_000)
    assert float(shown["p5_usd_per_hour"]) > 0

    changed = project.apply(nodes="3")
    assert "0 added, 1 changed, 0 destroyed" in changed
    sagemaker = aws.client("sagemaker")
    nodes = sagemaker.list_cluster_nodes(ClusterName="terraformed")["ClusterNodeSummaries"]
    assert len(nodes) == 3

    assert "Destroy complete!" in project("destroy", "-input=false", "-auto-approve").out
    assert sagemaker.list_clusters(NameContains="terraformed")["ClusterSummaries"] == []
    vpcs = aws.client("ec2").describe_vpcs(Filters=[{"Name": "tag:Name", "Values": ["training"]}])
    assert vpcs["Vpcs"] == []


def test_file_systems(aws: Server, storage: Future[Project]) -> None:
    """`apply` creates FSx for Lustre with EFA and a data repository association, and OpenZFS; a
    second `plan` is empty; resources that are changed or deleted outside Terraform are in the next
    plan.
    """
    project = storage.result()
    project.plan(NOTHING)
    fsx = aws.client("fsx")
    resources = json.loads((project.folder / "terraform.tfstate").read_text())["resources"]
    made = {resource["type"]: resource["instances"][0]["attributes"] for resource in resources}
    lustre, home = made["aws_fsx_lustre_file_system"], made["aws_fsx_openzfs_file_system"]

    fsx.update_file_system(
        FileSystemId=lustre["id"], LustreConfiguration={"WeeklyMaintenanceStartTime": "2:06:00"}
    )
    drifted = project.plan(SOMETHING)
    assert '"2:06:00" -> "1:05:00"' in drifted
    assert "1 to change, 0 to destroy" in drifted

    association = made["aws_fsx_data_repository_association"]["id"]
    fsx.delete_data_repository_association(AssociationId=association)
    for item in (lustre, home):
        fsx.delete_file_system(FileSystemId=item["id"])
    assert "3 to add" in project.plan(SOMETHING)


def test_aws_errors_are_reported(aws: Server, site: Site, tmp_path: Path) -> None:
    """A refusal of AWS fails `apply` at once with AWS's message."""
    (tmp_path / "wrong").mkdir()
    text = (FIXTURES / "storage" / "main.tf").read_text()
    file(tmp_path, "wrong/main.tf", text.replace("= 9600", "= 4800"))
    project = Project(
        aws,
        tmp_path / "wrong",
        {
            "subnet_id": site.subnet,
            "security_group_id": site.group,
            "bucket": "terraform-corpus",
        },
    )
    project("init", "-input=false")
    target = "-target=aws_fsx_lustre_file_system.scratch"
    refused = project("apply", "-input=false", "-auto-approve", target, code=1)
    assert "BadRequest" in refused.err
    assert "4800" in refused.err
