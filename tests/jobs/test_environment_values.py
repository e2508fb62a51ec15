"""Which values of variables programs accept."""

from __future__ import annotations

import pytest

from clusterwright.jobs.environment_values import mistake

ALLOCATOR = "PYTORCH_CUDA_ALLOC_CONF"


@pytest.mark.parametrize(
    ("name", "value", "message", "ends"),
    [
        (ALLOCATOR, "expandable_segment:True", "no key expandable_segment", True),
        ("PYTORCH_ALLOC_CONF", "expandable_segments:true", "expected True or False", True),
        (ALLOCATOR, "expandable_segments=True", "expected KEY:VALUE", True),
        (ALLOCATOR, "max_split_size_mb:512,backend:cuda", "backend: expected native or", True),
        (ALLOCATOR, "roundup_power2_divisions:[256:1,>:4],max_split_mb", "KEY:VALUE", True),
        ("NCCL_DEBUG", "DEBUG", "expected one of VERSION, WARN", False),
        ("TORCH_DISTRIBUTED_DEBUG", "1", "expected one of OFF, INFO, DETAIL", True),
        ("GLOO_SOCKET_IFNAME", "^lo,docker", "excludes none", False),
    ],
)
def test_values_that_are_not_accepted(name: str, value: str, message: str, ends: bool) -> None:
    found = mistake(name, value)
    assert found is not None
    assert message in found.message
    assert found.ends is ends


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (ALLOCATOR, "expandable_segments:True, max_split_size_mb:512"),
        (ALLOCATOR, "roundup_power2_divisions:[256:1,512:2,>:8],backend:native"),
        (ALLOCATOR, "a_key_of_another_version:1"),
        (ALLOCATOR, ""),
        ("NCCL_DEBUG", "info"),
        ("GLOO_SOCKET_IFNAME", "eth0,eth1"),
        ("NCCL_SOCKET_IFNAME", "^lo"),
        ("ANOTHER", "value"),
    ],
)
def test_values_that_may_be_right(name: str, value: str) -> None:
    assert mistake(name, value) is None
