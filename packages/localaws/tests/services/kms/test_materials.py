"""Which material fits which key."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.kms import materials


def key(spec: str) -> SimpleNamespace:
    return SimpleNamespace(key_spec=spec, key_material=b"")


@pytest.mark.parametrize(
    ("spec", "size"),
    [("SYMMETRIC_DEFAULT", 32), ("HMAC_256", 32), ("HMAC_256", 128), ("HMAC_512", 64)],
)
def test_material_of_the_right_size_is_kept(spec: str, size: int) -> None:
    one = key(spec)
    found = materials.parse(one, b"k" * size)
    assert not materials.is_current(one, found)
    materials.keep(one, found)
    assert materials.is_current(one, found)
    assert one.key_material == b"k" * size


@pytest.mark.parametrize(
    ("spec", "size"),
    [("SYMMETRIC_DEFAULT", 5), ("SYMMETRIC_DEFAULT", 33), ("HMAC_256", 31), ("HMAC_256", 129)],
)
def test_material_of_another_size_is_refused(spec: str, size: int) -> None:
    with pytest.raises(AwsError) as caught:
        materials.parse(key(spec), b"k" * size)
    assert caught.value.code == "IncorrectKeyMaterialException"
