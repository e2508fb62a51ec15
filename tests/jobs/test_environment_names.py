"""Which known variable a misspelt name means."""

from __future__ import annotations

import pytest

from clusterwright.jobs.environment_names import meant


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("NCCL_DEBUG", None),
        ("NCCL_DEBGU", "NCCL_DEBUG"),
        ("NCCL_SOCKET_IFNAM", "NCCL_SOCKET_IFNAME"),
        ("MASTER_PORT2", None),
        ("MY_OWN_VARIABLE", None),
    ],
)
def test_name_like_a_known_one(name: str, expected: str | None) -> None:
    assert meant(name) == expected
