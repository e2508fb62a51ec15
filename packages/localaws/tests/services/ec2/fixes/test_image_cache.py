"""Tests of services.ec2.fixes.image_cache."""

from __future__ import annotations

import time

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import client


class TestParsedOnce:
    def test_second_local_aws_starts_quickly(self) -> None:
        def start() -> float:
            before = time.process_time()
            with local_aws():
                client("iam").list_roles()
                client("ec2").describe_vpcs()
            return time.process_time() - before

        start()
        # moto alone takes 2 s of processor time here, for its lists of images and policies.
        assert min(start() for _ in range(3)) < 0.7

    def test_images_are_those_of_moto(self, aws: Runtime) -> None:
        images = client("ec2").describe_images(Owners=["amazon"])["Images"]
        assert len(images) > 100
        assert all(image["ImageId"].startswith("ami-") for image in images)
