"""The public interface for programs that run nodes, and that for tests of others."""

from __future__ import annotations

import pytest

from clusterwright_localaws import drivers, testing


@pytest.mark.parametrize("module", [drivers, testing])
def test_every_public_name_is_there_and_documented(module: object) -> None:
    names = module.__all__  # type: ignore[attr-defined]
    assert len(names) == len(set(names))
    missing = [name for name in names if not hasattr(module, name)]
    assert missing == []


def test_drivers_answer_for_names_and_types() -> None:
    assert drivers.ec2_name("ml.p5.48xlarge") == "p5.48xlarge"
    assert drivers.catalog().instance("p5.48xlarge") is not None
    assert drivers.load_world("generous").account
