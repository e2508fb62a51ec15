"""Images that AWS publishes by name."""

from __future__ import annotations

import re

from clusterwright_localaws.services.ec2.published_images import (
    KUBERNETES_VERSIONS,
    PublishedImage,
    published_images,
)


def test_ids_are_stable_and_differ_by_region_and_parameter() -> None:
    one, other = PublishedImage("/a", "x86_64"), PublishedImage("/b", "x86_64")
    assert re.fullmatch(r"ami-10ca1[0-9a-f]{12}", one.id_in("us-east-1"))
    assert one.id_in("us-east-1") == PublishedImage("/a", "arm64").id_in("us-east-1")
    assert len({one.id_in("us-east-1"), one.id_in("us-west-2"), other.id_in("us-east-1")}) == 3


def test_images_are_sorted_and_unique() -> None:
    names = [image.parameter for image in published_images()]
    assert names == sorted(set(names))
    assert {image.architecture for image in published_images()} == {"x86_64", "arm64"}


def test_hyperpod_has_an_image_of_each_version() -> None:
    names = {image.parameter for image in published_images()}
    base = "/aws/service/sagemaker-hyperpod/ami/x86_64"
    assert f"{base}/slurm-ubuntu-22.04/latest/ami-id" in names
    for version in KUBERNETES_VERSIONS:
        assert f"{base}/eks-{version}-amazon-linux-2/latest/ami-id" in names


def test_amazon_linux_2_of_eks_ends_with_1_32() -> None:
    versions = {
        image.parameter.split("/")[5]
        for image in published_images()
        if "/optimized-ami/" in image.parameter and "/amazon-linux-2/" in image.parameter
    }
    assert versions == {"1.30", "1.31", "1.32"}


def test_images_of_eks_have_a_document_above_the_id() -> None:
    for image in published_images():
        if image.document is not None:
            assert image.parameter == f"{image.document}/image_id"
            assert image.document.endswith("/recommended")
