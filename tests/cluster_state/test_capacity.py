"""Purchases of a spec, and what AWS reports of them."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any, cast

import pytest

from clusterwright.aws.ec2.capacity_reservations import BlockStatus, Reservation
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.sagemaker import ReservedCapacity, TrainingPlan
from clusterwright.aws.session import AwsSession
from clusterwright.cluster_state.capacity import capacity_state, purchases
from tests.support import specs

SESSION = cast(AwsSession, object())
END = dt.datetime(2026, 12, 1, tzinfo=dt.UTC)


def training_plan(**changes: Any) -> TrainingPlan:
    values: dict[str, Any] = {
        "name": "run-1",
        "arn": specs.PLAN,
        "status": "Active",
        "status_message": "",
        "total_count": 8,
        "available_count": 3,
        "target_resources": ("hyperpod-cluster",),
        "start": None,
        "end": END,
        "capacities": (
            ReservedCapacity("ml.p5.48xlarge", 8, "Active", None, "use1-az6", None, END),
        ),
        **changes,
    }
    return TrainingPlan(**values)


def test_purchases_by_id(tmp_path: Path) -> None:
    assert purchases(specs.load(tmp_path).cluster) == {}
    capacity = {"kind": "training-plan", "arn": specs.PLAN}
    spec = specs.load(tmp_path, {"compute.1.capacity": capacity})
    assert purchases(spec.cluster) == {specs.PLAN: "training-plan"}


def test_training_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    answer: list[TrainingPlan | None] = [training_plan(unhealthy_count=1)]
    asked: list[str] = []

    def plan(_: object, name: str) -> TrainingPlan | None:
        asked.append(name)
        return answer[0]

    monkeypatch.setattr("clusterwright.aws.sagemaker.training_plan", plan)
    found = capacity_state(SESSION, specs.PLAN, "training-plan")
    assert found is not None
    assert asked == ["run-1"]
    assert (found.used, found.free, found.total) == (4, 3, 8)
    assert (found.instance_type, found.zone, found.ends) == ("p5.48xlarge", "use1-az6", END)
    answer[0] = training_plan(in_use_count=5, spare_count=1)
    found = capacity_state(SESSION, specs.PLAN, "training-plan")
    assert found is not None
    assert (found.used, found.spares) == (5, 1)
    answer[0] = None
    assert capacity_state(SESSION, specs.PLAN, "training-plan") is None


def test_reservation(monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, Any] = dict.fromkeys(Reservation.__dataclass_fields__)
    made |= {
        "id": "cr-1",
        "state": "active",
        "instance_type": "p5.48xlarge",
        "zone": "us-east-1a",
        "total_count": 4,
        "available_count": 1,
        "end": END,
    }
    answers = [Reservation(**made), Reservation(**{**made, "available_count": None}), None]
    monkeypatch.setattr(
        "clusterwright.aws.ec2.capacity_reservations.reservation", lambda *_: answers.pop(0)
    )
    found = capacity_state(SESSION, "cr-1", "capacity-block")
    assert found is not None
    assert (found.kind, found.used, found.free, found.zone) == (
        "capacity-block",
        3,
        1,
        "us-east-1a",
    )
    found = capacity_state(SESSION, "cr-1", "reservation")
    assert found is not None
    assert (found.used, found.free, found.total) == (None, None, 4)
    assert capacity_state(SESSION, "cr-1", "reservation") is None


@pytest.mark.parametrize(
    ("instance_type", "status", "expected"),
    [
        ("p5.48xlarge", BlockStatus("cb-1", "", 4, 1), (1, None, None)),
        ("p5.48xlarge", None, (None, None, None)),
        ("p6e-gb200.36xlarge", BlockStatus("cb-1", "impaired", 9, 0), (0, "impaired", None)),
        (
            "p6e-gb200.36xlarge",
            BlockStatus("cb-1", "insufficient-data", 9, 0),
            (0, "insufficient-data", "EC2 has insufficient data about its interconnect"),
        ),
        (
            "p6e-gb200.36xlarge",
            None,
            (None, None, "EC2 reports no status of the Capacity Block"),
        ),
    ],
)
def test_the_health_of_a_block(
    monkeypatch: pytest.MonkeyPatch,
    instance_type: str,
    status: BlockStatus | None,
    expected: tuple[int | None, str | None, str | None],
) -> None:
    made: dict[str, Any] = dict.fromkeys(Reservation.__dataclass_fields__)
    made |= {"id": "cr-1", "state": "active", "instance_type": instance_type, "total_count": 4}
    place = "clusterwright.aws.ec2.capacity_reservations"
    monkeypatch.setattr(
        f"{place}.reservation", lambda *_: Reservation(**{**made, "block_id": "cb-1"})
    )
    monkeypatch.setattr(f"{place}.block_status", lambda *_: status)
    found = capacity_state(SESSION, "cr-1", "capacity-block")
    assert found is not None
    reason = found.health.reason if found.health is not None else None
    assert (found.unhealthy, found.interconnect, reason) == expected


def test_a_block_whose_health_is_denied_is_still_known(monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, Any] = dict.fromkeys(Reservation.__dataclass_fields__)
    made |= {"id": "cr-1", "state": "active", "instance_type": "p5.48xlarge", "total_count": 4}

    def denied(*_: object) -> None:
        raise AwsUnavailable(
            service="ec2",
            operation="DescribeCapacityBlockStatus",
            region="us-east-1",
            reason="denied",
            detail="no",
        )

    place = "clusterwright.aws.ec2.capacity_reservations"
    monkeypatch.setattr(
        f"{place}.reservation", lambda *_: Reservation(**{**made, "block_id": "cb-1"})
    )
    monkeypatch.setattr(f"{place}.block_status", denied)
    found = capacity_state(SESSION, "cr-1", "capacity-block")
    assert found is not None
    assert found.health is not None
    assert (found.status, found.unhealthy) == ("active", None)
    assert found.health.iam_action == "ec2:DescribeCapacityBlockStatus"
