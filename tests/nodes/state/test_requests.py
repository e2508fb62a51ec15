"""Requests of operators."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from clusterwright_state import requests

from tests.nodes.metrics.fake_node import Machine

NOW = dt.datetime(2026, 11, 23, 8, 5, tzinfo=dt.UTC)
ID = "01JD0000000000000000000000"


def request(**changes: Any) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "id": ID,
        "verb": "drain",
        "nodes": ["ip-10-1-0-33"],
        "because": "slow NVLink",
        "by": "ada",
        "created_at": "2026-11-23T08:00:00Z",
        "expires_at": "2026-11-23T08:15:00Z",
        **changes,
    }


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"schema_version": 2}, "schema_version must be 1"),
        ({"id": "another-id"}, "the id is not that of the object's key"),
        ({"verb": "shutdown"}, "the verb must be one of accept, drain, reboot, resume"),
        ({"nodes": []}, "nodes must be a list of at least one node name"),
        ({"nodes": "all"}, "nodes must be a list of node names"),
        ({"because": " "}, "because must be a text"),
        (
            {"because": "\u6545\u969c \"'"},
            "because has no character that Slurm's reason keeps: ASCII without quotes",
        ),
        (
            {"expires_at": "soon"},
            "created_at and expires_at must be times such as 2026-11-23T08:00:00Z",
        ),
        (
            {"expires_at": "2026-11-24T08:00:00Z"},
            "a request can be valid for at most 60 minutes",
        ),
        (
            {"created_at": "2026-12-24T08:00:00Z", "expires_at": "2026-12-24T08:15:00Z"},
            "a request can be valid for at most 60 minutes",
        ),
        (
            {"created_at": "2026-11-23T08:15:00Z", "expires_at": "2026-11-23T08:15:00Z"},
            "expires_at must be after created_at",
        ),
        (
            {"created_at": "2026-11-23T07:40:00Z", "expires_at": "2026-11-23T08:04:59Z"},
            "the request expired at 2026-11-23T08:04:59Z",
        ),
    ],
)
def test_invalid_requests_are_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(requests.Refused) as refusal:
        requests.read(request(**changes), ID, NOW)
    assert str(refusal.value) == said


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"level": "extreme"}, "level must be one of quick, standard, full"),
        ({"level": None}, "level must be one of quick, standard, full"),
        ({"lustre": {"/fsx": [1]}}, "lustre must be capacity and tier by mount path"),
        (
            {"lustre": {"/fsx": [float("inf"), 1]}},
            "lustre must be capacity and tier by mount path",
        ),
        ({"lustre": [1]}, "lustre must be capacity and tier by mount path"),
        ({"lustre": {"fsx": [1, 2]}}, "the mount paths of lustre must be absolute"),
        ({"waivers": {}}, "waivers must be a list of at most 1000"),
        ({"waivers": [{"check": "rm"}]}, "waivers[0]: no check is called rm"),
    ],
)
def test_invalid_acceptance_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(requests.Refused) as refusal:
        requests.read(request(**{"verb": "accept", "level": "quick", **changes}), ID, NOW)
    assert str(refusal.value) == said


class FakeRuns:
    def __init__(self, unfinished: str | None = None, error: OSError | None = None) -> None:
        self.other, self.error = unfinished, error
        self.started: list[Any] = []
        self.waivers: list[Any] = []

    def busy(self) -> str | None:
        return self.other

    def keep_waivers(self, rows: Any, run: str, by: str) -> None:
        self.waivers.append((rows, run, by))

    def start(self, *words: Any) -> None:
        if self.error is not None:
            raise self.error
        self.started.append(words)


def accept(runs: FakeRuns, **changes: Any) -> dict[str, Any]:
    value = request(**{"verb": "accept", "level": "quick", "nodes": [], **changes})
    read = requests.read(value, ID, NOW)
    return requests.start(runs, read, {"b", "a"})  # type: ignore[arg-type]


def test_acceptance_of_all_nodes_is_started() -> None:
    runs = FakeRuns()
    answer = accept(runs, lustre={"/fsx": [38400, 500]})
    assert runs.started == [(ID, "quick", (), {"/fsx": (38400, 500)}, None)]
    assert answer["done"] == [{"node": n, "result": "level quick started"} for n in ("a", "b")]


@pytest.mark.parametrize(
    ("runs", "changes", "refused"),
    [
        (
            FakeRuns(),
            {"nodes": ["a", "x"]},
            {"node": "x", "reason": "Slurm has no compute node of this name"},
        ),
        (
            FakeRuns("other"),
            {},
            {"node": "", "reason": "the run other has not ended; follow it with --run other"},
        ),
        (FakeRuns(error=OSError("disk full")), {}, {"node": "", "reason": "disk full"}),
    ],
)
def test_acceptance_that_cannot_start_is_refused(
    runs: FakeRuns, changes: dict[str, Any], refused: dict[str, str]
) -> None:
    answer = accept(runs, **changes)
    assert (answer["done"], answer["refused"], runs.started) == ([], [refused], [])


def test_waivers_of_a_request_are_kept() -> None:
    runs = FakeRuns()
    row = {"check": "nvlink", "reason": "the cable is  replaced", "expires": "2026-12-07"}
    answer = accept(runs, waivers=[row])
    kept = {**row, "reason": "the cable is replaced", "nodes": [], "groups": []}
    assert runs.waivers == [([kept], ID, "ada")]
    said = "level quick started; waivers of the request, in place of those kept: "
    assert answer["done"][0]["result"] == f"{said}1"
    assert accept(runs, waivers=[])["done"][0]["result"] == f"{said}0"
    assert runs.waivers[1:] == [([], ID, "ada")]
    # A request that says nothing of them, and one that is refused, leave what is kept.
    accept(runs)
    accept(FakeRuns(unfinished="other"), waivers=[row])
    assert len(runs.waivers) == 2


def test_a_request_that_is_no_object_is_refused() -> None:
    with pytest.raises(requests.Refused, match="not a JSON object"):
        requests.read(None, ID, NOW)


@pytest.mark.parametrize(
    ("key", "found"),
    [
        (f"requests/{ID}.json", ID),
        ("requests/../state/x.json", None),
        ("requests/short.json", None),
        (f"requests/{ID}.txt", None),
        (f"state/{ID}.json", None),
    ],
)
def test_only_keys_of_requests_have_an_id(key: str, found: str | None) -> None:
    assert requests.id_of(key) == found


def commands(machine: Machine) -> list[str]:
    log = machine.root / "ran"
    return log.read_text().splitlines() if log.exists() else []


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    found = Machine(tmp_path)
    found.command("scontrol", f'echo "$*" >> {found.root}/ran; test "$2" != NodeName=broken')
    return found


def test_every_node_of_a_request_is_drained_with_the_reason(machine: Machine) -> None:
    read = requests.read(request(nodes=["a", "b"]), ID, NOW)
    answer = requests.carry_out(machine.probe(), read, {"a", "b", "c"})
    assert answer["done"] == [{"node": n, "result": "drained"} for n in ("a", "b")]
    assert answer["refused"] == []
    assert (answer["id"], answer["verb"], answer["schema_version"]) == (ID, "drain", 1)
    assert commands(machine) == [
        "update NodeName=a State=DRAIN Reason=slow NVLink (ada)",
        "update NodeName=b State=DRAIN Reason=slow NVLink (ada)",
    ]


def test_unknown_nodes_are_refused_and_the_others_are_done(machine: Machine) -> None:
    read = requests.read(request(nodes=["a", "controller", "broken"]), ID, NOW)
    answer = requests.carry_out(machine.probe(), read, {"a", "broken"})
    assert answer["done"] == [{"node": "a", "result": "drained"}]
    assert answer["refused"] == [
        {"node": "controller", "reason": "Slurm has no compute node of this name"},
        {"node": "broken", "reason": "scontrol: exit code 1"},
    ]


def test_resume_and_reboot(machine: Machine) -> None:
    for verb in ("resume", "reboot"):
        requests.carry_out(
            machine.probe(), requests.read(request(verb=verb), ID, NOW), {"ip-10-1-0-33"}
        )
    assert commands(machine) == [
        "update NodeName=ip-10-1-0-33 State=RESUME",
        "reboot ASAP nextstate=RESUME Reason=slow NVLink (ada) ip-10-1-0-33",
    ]


def test_a_reservation_drains_where_drained_nodes_are_replaced(machine: Machine) -> None:
    for verb in ("drain", "resume"):
        read = requests.read(request(verb=verb, nodes=["a"]), ID, NOW)
        answer = requests.carry_out(machine.probe(), read, {"a"}, reserve=True)
        assert answer["refused"] == []
    assert commands(machine) == [
        "create reservation ReservationName=clusterwright_drain_a Nodes=a StartTime=now "
        "Duration=UNLIMITED Users=root Flags=MAINT,IGNORE_JOBS Comment=slow NVLink (ada)",
        "show ReservationName=clusterwright_drain_a",
        "delete ReservationName=clusterwright_drain_a",
    ]


def test_a_node_without_a_reservation_is_resumed_by_its_state(machine: Machine) -> None:
    machine.command("scontrol", f'echo "$*" >> {machine.root}/ran; test "$1" != show')
    read = requests.read(request(verb="resume", nodes=["a"]), ID, NOW)
    requests.carry_out(machine.probe(), read, {"a"}, reserve=True)
    assert commands(machine)[-1] == "update NodeName=a State=RESUME"


def test_a_reason_cannot_pass_for_that_of_the_health_checks(machine: Machine) -> None:
    text = 'clusterwright: xid "x"\nState=RESUME'
    read = requests.read(request(nodes=["a"], because=text, by=""), ID, NOW)
    requests.carry_out(machine.probe(), read, {"a"})
    assert commands(machine) == [
        "update NodeName=a State=DRAIN Reason=operator: clusterwright: xid x State=RESUME"
    ]


@pytest.mark.parametrize("because", ["x" * 180, "clusterwright: " + "x" * 165])
def test_a_long_reason_keeps_who_asked(machine: Machine, because: str) -> None:
    read = requests.read(request(nodes=["a"], because=because), ID, NOW)
    requests.carry_out(machine.probe(), read, {"a"})
    (ran,) = commands(machine)
    reason = ran.partition("Reason=")[2]
    assert len(reason) == 180
    assert reason.endswith("x (ada)")
