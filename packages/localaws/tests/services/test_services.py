"""The declarations of services: their fixes to moto."""

from __future__ import annotations

import importlib

import pytest

from clusterwright_localaws.services import fixes, own_services


@pytest.mark.parametrize("name", [name for service in own_services() for name in fixes(service)])
def test_a_fix_has_a_description_and_the_version_of_moto(name: str) -> None:
    from importlib.metadata import version

    module = importlib.import_module(name)
    assert version("moto") == module.MOTO_VERSION, "check whether moto has fixed it since"
    assert module.DESCRIPTION.strip()
    assert not module.DESCRIPTION.endswith(".")
