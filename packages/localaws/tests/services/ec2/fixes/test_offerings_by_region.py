"""Offerings of a region are read when they are requested."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.services.ec2.fixes.offerings_by_region import Offerings, apply

NAME = "ec2/resources/instance_type_offerings/availability-zone-id/us-east-1.json"


def offerings() -> tuple[Offerings, list[str]]:
    asked: list[str] = []

    def read(resource: str) -> list[dict[str, str]]:
        asked.append(resource)
        return [{"InstanceType": "a", "Location": "z1"}, {"InstanceType": "b", "Location": "z1"}]

    return Offerings(NAME, read), asked


def test_the_import_reads_nothing() -> None:
    found, asked = offerings()
    assert next(iter(found), None) is None
    assert asked == []


def test_entries_are_read_once_with_their_location_type() -> None:
    found, asked = offerings()
    iter(found)
    expected: list[dict[str, Any]] = [
        {"InstanceType": "a", "Location": "z1", "LocationType": "availability-zone-id"},
        {"InstanceType": "b", "Location": "z1", "LocationType": "availability-zone-id"},
    ]
    assert list(found) == expected
    assert (found[0], found[1:], len(found)) == (expected[0], expected[1:], 2)
    assert asked == [NAME]


def test_names_are_shared_objects() -> None:
    found, _ = offerings()
    assert found[0]["Location"] is found[1]["Location"]


def test_applying_it_after_the_import_does_nothing() -> None:
    import moto.ec2.models.instance_types  # noqa: F401
    from moto.utilities import utils

    before = utils.load_resource
    apply()
    assert utils.load_resource is before
