"""Public parameters: images and the global infrastructure."""

from __future__ import annotations

import json
import re

import pytest

from clusterwright_localaws.services.ec2.published_images import ID_PREFIX, published_images
from packages.localaws.tests.parts import client, refusal

IMAGE = re.compile(r"ami-[0-9a-f]{17}")


def value(name: str, region: str = "us-east-1") -> str:
    return str(client("ssm", region).get_parameter(Name=name)["Parameter"]["Value"])


def below(path: str, **more: bool) -> list[str]:
    pages = client("ssm").get_paginator("get_parameters_by_path").paginate(Path=path, **more)
    return [parameter["Name"] for page in pages for parameter in page["Parameters"]]


@pytest.mark.usefixtures("aws")
class TestImages:
    def test_published_images_have_parameters_and_descriptions(self) -> None:
        names = {image.parameter: image for image in published_images()}
        found: dict[str, str] = {}
        for start in range(0, len(names), 10):
            some = list(names)[start : start + 10]
            answer = client("ssm").get_parameters(Names=some)
            assert answer["InvalidParameters"] == []
            for parameter in answer["Parameters"]:
                assert parameter["DataType"] == "aws:ec2:image"
                found[parameter["Name"]] = parameter["Value"]
        assert set(found) == set(names)
        assert len(set(found.values())) == len(found) > 50
        for image_id in found.values():
            assert IMAGE.fullmatch(image_id)
            assert image_id.startswith(ID_PREFIX)
        images = client("ec2").describe_images(ImageIds=list(found.values()))["Images"]
        architectures = {image["ImageId"]: image["Architecture"] for image in images}
        for name, image_id in found.items():
            assert architectures[image_id] == names[name].architecture

    @pytest.mark.parametrize(
        "name",
        [
            "/aws/service/sagemaker-hyperpod/ami/x86_64/slurm-ubuntu-22.04/latest/ami-id",
            "/aws/service/sagemaker-hyperpod/ami/x86_64/eks-1.31-amazon-linux-2/latest/ami-id",
            "/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/nvidia/recommended/"
            "image_id",
            "/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/neuron/recommended/"
            "image_id",
            "/aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-ubuntu-22.04/latest/"
            "ami-id",
            "/aws/service/neuron/dlami/pytorch-2.9/ubuntu-24.04/latest/image_id",
        ],
    )
    def test_documented_parameter_names_exist(self, name: str) -> None:
        here = value(name)
        assert here == value(name)
        assert here != value(name, "us-west-2")
        run = client("ec2").run_instances(
            ImageId=here, InstanceType="m5.large", MinCount=1, MaxCount=1
        )
        assert run["Instances"][0]["ImageId"] == here

    def test_amazon_linux_parameters_are_those_of_moto(self) -> None:
        name = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64"
        assert IMAGE.fullmatch(value(name))
        assert not value(name).startswith(ID_PREFIX)

    def test_an_image_is_launched_by_its_parameter(self) -> None:
        name = "/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/nvidia/recommended/"
        ec2, by_name = client("ec2"), f"resolve:ssm:{name}image_id"
        ec2.create_launch_template(
            LaunchTemplateName="node",
            LaunchTemplateData={"ImageId": by_name, "InstanceType": "m5.large"},
        )
        for request in (
            {"ImageId": by_name, "InstanceType": "m5.large"},
            {"LaunchTemplate": {"LaunchTemplateName": "node"}},
        ):
            (instance,) = ec2.run_instances(MinCount=1, MaxCount=1, **request)["Instances"]
            assert instance["ImageId"] == value(f"{name}image_id")
        found = refusal(ec2.run_instances, ImageId="resolve:ssm:/no", MinCount=1, MaxCount=1)
        assert found[0] == "InvalidParameterValue"

    def test_eks_recommended_document_has_the_image_id(self) -> None:
        name = "/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/standard/recommended"
        assert json.loads(value(name))["image_id"] == value(f"{name}/image_id")

    @pytest.mark.parametrize(
        "name",
        [
            "/aws/service/eks/optimized-ami/1.33/amazon-linux-2-gpu/recommended/image_id",
            "/aws/service/eks/optimized-ami/1.11/amazon-linux-2/recommended/image_id",
            "/aws/service/sagemaker-hyperpod/ami/arm64/slurm-ubuntu-22.04/latest/ami-id",
            "/aws/service/nothing",
        ],
    )
    def test_unpublished_parameter_is_not_found(self, name: str) -> None:
        assert refusal(client("ssm").get_parameter, Name=name)[0] == "ParameterNotFound"
        assert client("ssm").get_parameters(Names=[name])["InvalidParameters"] == [name]


@pytest.mark.usefixtures("aws")
class TestLists:
    def test_parameters_are_listed_by_path(self) -> None:
        eks = below("/aws/service/eks/optimized-ami/1.32", Recursive=True)
        assert sum(name.endswith("image_id") for name in eks) == 8
        assert below("/aws/service/eks/optimized-ami/1.32") == []
        assert below("/aws/service/eks/optimized-ami/1.3", Recursive=True) == []

    def test_path_above_public_parameters_lists_them(self) -> None:
        ssm = client("ssm")
        for path in ("/aws/service", "/aws/service/"):
            first = ssm.get_parameters_by_path(Path=path, Recursive=True)
            assert len(first["Parameters"]) == 10
            assert "NextToken" in first

    def test_global_infrastructure_parameters_exist(self) -> None:
        place = "/aws/service/global-infrastructure"
        assert value(f"{place}/regions/us-east-1/longName") == "US East (N. Virginia)"
        assert value(f"{place}/current-region/longName") == "US East (N. Virginia)"
        assert value(f"{place}/current-region", "eu-west-1") == "eu-west-1"
        assert f"{place}/availability-zones/use1-az6" in below(f"{place}/availability-zones")
        assert f"{place}/regions/us-east-1" in below(f"{place}/regions")

    def test_public_parameters_are_not_listed(self) -> None:
        ssm = client("ssm")
        value("/aws/service/global-infrastructure/regions/us-east-1/longName")
        ssm.put_parameter(Name="/team/mine", Value="1", Type="String")
        assert [parameter["Name"] for parameter in ssm.describe_parameters()["Parameters"]] == [
            "/team/mine"
        ]
        assert below("/", Recursive=True) == ["/team/mine"]

    def test_fsx_requires_write_permission(self) -> None:
        found = refusal(
            client("ssm").put_parameter, Name="/aws/service/x", Value="1", Type="String"
        )
        assert found[0] == "AccessDeniedException"
