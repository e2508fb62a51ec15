"""Applied quotas of a world, their usage and refusals."""

from __future__ import annotations

import pytest

from clusterwright_localaws.core import quotas
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.worlds.model import World

ACCOUNT, REGION = "111122223333", "us-east-1"
VPCS = ("vpc", "L-F678F1CE")


def runtime(**world: object) -> Runtime:
    return Runtime(World.model_validate(world))


def test_a_quota_of_the_world_goes_before_policies() -> None:
    found = quotas.quota(runtime(quotas={"vpc/L-F678F1CE": 7}), REGION, *VPCS)
    assert found is not None
    assert (found.value, found.default, found.name) == (7, 5, "VPCs per Region")


@pytest.mark.parametrize(("policy", "expected"), [("documented", 5.0), ("ample", 10_000.0)])
def test_policies(policy: str, expected: float) -> None:
    found = quotas.quota(runtime(quota_policy=policy), REGION, *VPCS)
    assert found is not None
    assert found.value == expected


def test_an_unknown_code_is_none_unless_the_world_has_it() -> None:
    assert quotas.quota(runtime(), REGION, "vpc", "L-00000000") is None
    found = quotas.quota(runtime(quotas={"vpc/L-00000000": 3}), REGION, "vpc", "L-00000000")
    assert found == quotas.AppliedQuota("vpc", "L-00000000", "L-00000000", "None", None, 3)


def test_quotas_of_a_service_are_sorted_by_code() -> None:
    world = runtime(quotas={"vpc/L-00000000": 3, "eks/L-00000000": 3})
    codes = [found.code for found in quotas.quotas(world, REGION, "vpc")]
    assert codes == sorted(codes)
    assert codes[0] == "L-00000000"
    assert VPCS[1] in codes


class TestUsage:
    def test_own_resources_and_those_of_others_are_added(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(quotas._usage, VPCS, lambda *_: 2.0)
        found = runtime(usage={"vpc/L-F678F1CE": 1.5})
        assert quotas.in_use(found, ACCOUNT, REGION, *VPCS) == 3.5

    def test_nothing_counts_an_unknown_quota(self) -> None:
        assert quotas.in_use(runtime(), ACCOUNT, REGION, "vpc", "L-00000000") == 0.0

    def test_a_counter_is_registered_under_each_code(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(quotas, "_usage", table := {})
        counter = quotas.counts_usage("eks", "L-1", "L-2")(lambda *_: 1.0)
        assert table == {("eks", "L-1"): counter, ("eks", "L-2"): counter}


class TestRequire:
    @pytest.fixture(autouse=True)
    def _own(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(quotas._usage, VPCS, lambda *_: 0.0)

    def require(self, value: float, used: float, more: float) -> None:
        found = runtime(quotas={"vpc/L-F678F1CE": value}, usage={"vpc/L-F678F1CE": used})
        quotas.require(found, ACCOUNT, REGION, "vpc", "L-F678F1CE", more, unit="VPCs")

    def test_up_to_the_quota(self) -> None:
        self.require(3, 1, 2)
        self.require(0, 5, 0)

    def test_beyond_it_in_sagemakers_words(self) -> None:
        with pytest.raises(AwsError) as caught:
            self.require(2.5, 1, 2)
        assert caught.value.code == "ResourceLimitExceeded"
        assert caught.value.message.startswith(
            "The account-level service limit 'VPCs per Region' is 2.5 VPCs, with current "
            "utilization of 1 VPCs and a request delta of 2 VPCs. Please use AWS Service Quotas"
        )

    def test_an_unknown_quota_is_not_enforced(self) -> None:
        quotas.require(runtime(), ACCOUNT, REGION, "vpc", "L-00000000", 1e9)


def test_a_quota_without_a_published_code_is_listed_by_name() -> None:
    (found,) = quotas.quotas(runtime(), REGION, "pcs")
    assert (found.name, found.default) == ("Clusters", 5.0)
    assert "pcs" in quotas.services_with_unpublished()
