"""Tests of services.ec2.fixes.image_cache."""

from __future__ import annotations

import pytest
from moto.core import DEFAULT_ACCOUNT_ID
from moto.ec2.models import ec2_backends

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import REGION, client


class TestParsedOnce:
    def test_images_are_built_when_they_are_first_requested(self) -> None:
        with local_aws():
            client("ec2").describe_vpcs()
            backend = ec2_backends[DEFAULT_ACCOUNT_ID][REGION]
            assert "_amis_are_made" not in vars(backend)
            assert client("ec2").describe_images(Owners=["amazon"])["Images"]
            assert "_amis_are_made" in vars(backend)

    def test_second_local_aws_reads_no_file_of_images(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def found() -> int:
            with local_aws():
                return len(client("ec2").describe_images(Owners=["amazon"])["Images"])

        first = found()
        read: list[str] = []
        monkeypatch.setattr("moto.utilities.utils.load_resource_as_bytes", read.append)
        assert found() == first
        assert read == []

    def test_images_are_those_of_moto(self, aws: Runtime) -> None:
        images = client("ec2").describe_images(Owners=["amazon"])["Images"]
        assert len(images) > 100
        assert all(image["ImageId"].startswith("ami-") for image in images)


@pytest.mark.usefixtures("aws")
def test_images_of_a_backend_that_was_made_before() -> None:
    client("ec2").describe_regions()
    backend = ec2_backends[DEFAULT_ACCOUNT_ID][REGION]
    backend.__dict__.pop("_amis", None)
    backend.__dict__.pop("_amis_are_made", None)
    backend.__dict__["amis"] = {"ami-1": "an image"}
    assert list(backend.amis) == ["ami-1"]
