"""Tests of core.moto_quotas."""

from __future__ import annotations

import pytest

from clusterwright_localaws.core import moto_quotas, quotas
from clusterwright_localaws.core.quotas import AppliedQuota

QUOTA = ("ec2", "L-0263D0A3")
FOUND = AppliedQuota(*QUOTA, "Addresses", "None", 5.0, 5.0)


class Backend:
    """A backend of moto, as far as quotas read it."""

    account_id = "111122223333"
    region_name = "us-east-1"


@pytest.fixture(autouse=True)
def _one_quota(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quotas, "quota", lambda *arguments: FOUND)
    monkeypatch.setattr(quotas, "in_use", lambda *arguments: 4.0)


def test_what_fits_passes() -> None:
    moto_quotas.require(Backend(), QUOTA, 1.0, lambda quota: ValueError(quota.name))


def test_what_exceeds_the_quota_is_refused() -> None:
    with pytest.raises(ValueError, match="Addresses"):
        moto_quotas.require(Backend(), QUOTA, 2.0, lambda quota: ValueError(quota.name))


def test_a_given_usage_replaces_the_counted_one() -> None:
    moto_quotas.require(Backend(), QUOTA, 5.0, lambda quota: ValueError(quota.name), used=0.0)
