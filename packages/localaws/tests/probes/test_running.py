"""One probe against a scripted endpoint: verdicts, differences, deletion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from clusterwright_localaws.probes.calls import Answer, NoAnswer
from clusterwright_localaws.probes.model import Probe
from clusterwright_localaws.probes.running import Clock, Interrupted, ProbeRun, Result

Build = Callable[..., Probe]
GONE = Answer(400, code="InvalidVpcID.NotFound", message="gone")
CREATE = {"ec2.CreateVpc": {"CidrBlock": "10.0.0.0/16"}, "save": {"vpc": "Vpc.VpcId"}}
MADE = {"Vpc": {"VpcId": "vpc-1", "State": "pending"}}


class FakeClock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def clock(self) -> Clock:
        return Clock(now=lambda: self.seconds, sleep=self._sleep)

    def _sleep(self, seconds: float) -> None:
        self.seconds += seconds


def run(given: Probe, caller: Any, names: dict[str, Any], **more: Any) -> Result:
    return ProbeRun(given, caller, names, clock=FakeClock().clock(), **more).run()


def test_same(probe: Build, scripted: Any, names: dict[str, Any]) -> None:
    given = probe({"ec2.DescribeVpcs": {}, "answer": {"Vpcs": []}})
    result = run(given, scripted(DescribeVpcs={"Vpcs": []}), names)
    assert (result.verdict, result.differences) == ("same", [])


def test_every_member_that_differs_is_named(
    probe: Build, scripted: Any, names: dict[str, Any]
) -> None:
    given = probe({"ec2.DescribeVpcs": {}, "answer": {"A": 1, "B": 2, "C": {"is": "absent"}}})
    result = run(given, scripted(DescribeVpcs={"A": 1, "B": 3, "C": "x"}), names)
    assert result.verdict == "different"
    assert [
        (d.step, d.operation, d.member, d.expected, d.answered) for d in result.differences
    ] == [
        (1, "ec2.DescribeVpcs", "B", "2", "3"),
        (1, "ec2.DescribeVpcs", "C", "absent", "x"),
    ]


@pytest.mark.parametrize(
    ("answer", "members"),
    [
        (Answer(400, code="X", message="no"), []),
        (Answer(400, code="Y", message="no"), ["error code"]),
        (Answer(404, code="X", message="other"), ["error message", "HTTP status"]),
        (Answer(200, {}), ["error"]),
    ],
)
def test_errors_are_compared(
    probe: Build, scripted: Any, names: dict[str, Any], answer: Answer, members: list[str]
) -> None:
    step = {"ec2.DescribeVpcs": {}, "error": {"code": "X", "message": "no", "status": 400}}
    result = run(probe(step), scripted(DescribeVpcs=answer), names)
    assert [one.member for one in result.differences] == members


def test_unexpected_refusal_ends_the_probe(
    probe: Build, scripted: Any, names: dict[str, Any]
) -> None:
    given = probe({"ec2.DescribeVpcs": {}}, {"ec2.DescribeSubnets": {}, "answer": {"A": 1}})
    caller = scripted(DescribeVpcs=Answer(400, code="X", message="no"))
    result = run(given, caller, names)
    assert [(d.member, d.answered) for d in result.differences] == [("error", "X: no")]
    assert caller.operations == ["DescribeVpcs"]


@pytest.mark.parametrize("code", ["AccessDenied", "UnauthorizedOperation", "Throttling"])
def test_permissions_and_load_are_unknown(
    probe: Build, scripted: Any, names: dict[str, Any], code: str
) -> None:
    given = probe({"ec2.DescribeVpcs": {}, "answer": {"A": 1}})
    result = run(given, scripted(DescribeVpcs=Answer(403, code=code, message="no")), names)
    assert (result.verdict, result.reason) == (
        "unknown",
        f"step 1, ec2.DescribeVpcs: {code}: no",
    )


def test_denial_that_is_expected_is_compared(
    probe: Build, scripted: Any, names: dict[str, Any]
) -> None:
    given = probe({"ec2.DescribeVpcs": {}, "error": "AccessDenied"})
    result = run(given, scripted(DescribeVpcs=Answer(403, code="AccessDenied")), names)
    assert result.verdict == "same"


def test_created_is_deleted_last_first(probe: Build, scripted: Any, names: dict[str, Any]) -> None:
    subnet = {"ec2.CreateSubnet": {"VpcId": "${vpc}"}, "answer": {"Subnet.State": "available"}}
    caller = scripted(
        CreateVpc=MADE,
        CreateSubnet={"Subnet": {"SubnetId": "subnet-1", "State": "available"}},
        DeleteSubnet={},
        DeleteVpc={},
    )
    result = run(probe(CREATE, subnet), caller, names)
    assert caller.operations == ["CreateVpc", "CreateSubnet", "DeleteSubnet", "DeleteVpc"]
    assert caller.calls[3].parameters == {"VpcId": "vpc-1"}
    assert caller.calls[0].parameters["TagSpecifications"][0]["Tags"] == [
        {"Key": "localaws-verify", "Value": "r1"}
    ]
    assert (result.verdict, result.left_behind) == ("same", [])


@pytest.mark.parametrize(
    "second", [NoAnswer("cut off"), Answer(400, code="X", message="no"), ValueError("a bug")]
)
def test_created_is_deleted_after_a_failure(
    probe: Build, scripted: Any, names: dict[str, Any], second: Any
) -> None:
    caller = scripted(CreateVpc=MADE, DescribeVpcs=second, DeleteVpc={})
    given = probe(CREATE, {"ec2.DescribeVpcs": {}, "answer": {"A": 1}})
    if isinstance(second, ValueError):
        with pytest.raises(ValueError, match="a bug"):
            run(given, caller, names)
    else:
        assert run(given, caller, names).verdict in ("unknown", "different")
    assert caller.operations[-1] == "DeleteVpc"


def test_created_where_a_refusal_is_expected_is_deleted(
    probe: Build, scripted: Any, names: dict[str, Any]
) -> None:
    step = {"ec2.CreateVpc": {"CidrBlock": "10.0.0.0/8"}, "error": "InvalidVpc.Range"}
    caller = scripted(CreateVpc=MADE, DeleteVpc={})
    assert run(probe(step), caller, names).verdict == "different"
    assert caller.operations == ["CreateVpc", "DeleteVpc"]


def test_created_is_deleted_after_an_interruption(
    probe: Build, scripted: Any, names: dict[str, Any]
) -> None:
    caller = scripted(CreateVpc=MADE, DeleteVpc={})
    given = probe(CREATE, {"ec2.DescribeVpcs": {}, "answer": {"A": 1}})
    with pytest.raises(Interrupted) as caught:
        run(given, caller, names, stopped=lambda: len(caller.calls) == 1)
    assert caller.operations == ["CreateVpc", "DeleteVpc"]
    assert caught.value.args[0].verdict == "not_tried"


def test_deletion_is_repeated_until_it_is_possible(
    probe: Build, scripted: Any, names: dict[str, Any]
) -> None:
    busy = Answer(400, code="DependencyViolation", message="has dependencies")
    caller = scripted(CreateVpc=MADE, DeleteVpc=[busy, NoAnswer("cut off"), GONE])
    given = probe({**CREATE, "answer": {"Vpc.State": "pending"}})
    assert run(given, caller, names).left_behind == []
    assert caller.operations.count("DeleteVpc") == 3


def test_what_cannot_be_deleted_is_reported(
    probe: Build, scripted: Any, names: dict[str, Any]
) -> None:
    busy = Answer(400, code="DependencyViolation", message="has dependencies")
    given = probe({**CREATE, "answer": {"Vpc.State": "pending"}})
    result = run(given, scripted(CreateVpc=MADE, DeleteVpc=busy), names)
    assert result.left_behind == [
        "what ec2.CreateVpc created: ec2.DeleteVpc: DependencyViolation: has dependencies"
    ]


@pytest.mark.parametrize(("timeout_s", "tried"), [(0, 2), (1, 6), (120, 31)])
def test_deletion_is_tried_for_as_long_as_the_caller_says(
    probe: Build, scripted: Any, names: dict[str, Any], timeout_s: float, tried: int
) -> None:
    busy = Answer(400, code="DependencyViolation", message="has dependencies")
    caller = scripted(CreateVpc=MADE, DeleteVpc=busy)
    given = probe({**CREATE, "answer": {"Vpc.State": "pending"}})
    assert run(given, caller, names, deletion_timeout_s=timeout_s).left_behind != []
    assert caller.operations.count("DeleteVpc") == tried


def test_call_without_answer_may_have_created(
    probe: Build, scripted: Any, names: dict[str, Any]
) -> None:
    given = probe({**CREATE, "answer": {"Vpc.State": "pending"}})
    result = run(given, scripted(CreateVpc=NoAnswer("cut off")), names)
    assert result.left_behind == ["perhaps what ec2.CreateVpc created, tag localaws-verify=r1"]
    role = probe({"iam.CreateRole": {"RoleName": "${name}"}, "answer": {"Role.Path": "/"}})
    caller = scripted(CreateRole=NoAnswer("cut off"), DeleteRole={})
    assert run(role, caller, names).left_behind == []
    assert caller.operations == ["CreateRole", "DeleteRole"]


def test_until_repeats_the_call(probe: Build, scripted: Any, names: dict[str, Any]) -> None:
    given = probe({"ec2.DescribeVpcs": {}, "until": {"State": "ready"}, "answer": {"A": 1}})
    caller = scripted(DescribeVpcs=[{"State": "no"}, {"State": "no"}, {"State": "ready", "A": 1}])
    assert run(given, caller, names).verdict == "same"
    assert len(caller.calls) == 3
    late = run(given, scripted(DescribeVpcs={"State": "no", "A": 1}), names)
    assert [(d.member, d.answered) for d in late.differences] == [("State", "no")]


def test_deletion_of_a_stack_is_awaited(
    probe: Build, scripted: Any, names: dict[str, Any]
) -> None:
    step = {"cloudformation.CreateStack": {"StackName": "${name}"}, "save": {"id": "StackId"}}
    deleting = {"Stacks": [{"StackStatus": "DELETE_IN_PROGRESS"}]}
    deleted = {"Stacks": [{"StackStatus": "DELETE_COMPLETE"}]}
    caller = scripted(
        CreateStack={"StackId": "id-1"}, DeleteStack={}, DescribeStacks=[deleting, deleted]
    )
    given = probe({**step, "answer": {"StackId": "id-1"}})
    assert run(given, caller, names).left_behind == []
    assert caller.operations[1:] == ["DeleteStack", "DescribeStacks", "DescribeStacks"]
    stuck = {"Stacks": [{"StackStatus": "DELETE_FAILED"}]}
    caller = scripted(CreateStack={"StackId": "id-1"}, DeleteStack={}, DescribeStacks=stuck)
    assert run(given, caller, names).left_behind == [
        "what cloudformation.CreateStack created: cloudformation.DescribeStacks: "
        "Stacks[0].StackStatus is DELETE_FAILED"
    ]


def test_value_that_is_missing_is_a_difference(
    probe: Build, scripted: Any, names: dict[str, Any]
) -> None:
    given = probe(CREATE, {"ec2.DescribeVpcs": {"VpcIds": ["${vpc}"]}, "answer": {"A": 1}})
    result = run(given, scripted(CreateVpc={"Vpc": {}}), names)
    assert [(d.member, d.expected) for d in result.differences] == [("Vpc.VpcId", "present")]
    assert result.left_behind == [
        "what ec2.CreateVpc created: its answer.Vpc.VpcId is not in the answer"
    ]
