"""The verdicts of Xid and SXid messages."""

from __future__ import annotations

import pytest
from clusterwright_common import xid
from clusterwright_common.xid import Event, Message, Verdict

TABLE = xid.read_table()
NOW = 1_800_000_000.0
DAY = 86_400.0


def line(code: int, text: str = "text", bus: str = "0000:b9:00", at: float = 12.5) -> str:
    return f"[{at:12.6f}] NVRM: Xid (PCI:{bus}): {code}, pid=77, name=python, {text}"


def verdicts(
    *lines: str, history: tuple[Event, ...] = (), uvm: bool | None = None
) -> list[Verdict]:
    return xid.decide(
        xid.parse(lines), TABLE, uvm_in_use=uvm, history=history, boot="now", now=NOW
    )


def actions(*lines: str) -> dict[int | None, tuple[str, bool]]:
    return {one.code: (one.action, one.drains) for one in verdicts(*lines)}


def recovery(text: str) -> str:
    return line(154, f"GPU recovery action changed from 0x0 (None) to 0x1 ({text})")


def test_each_code_is_in_one_bucket() -> None:
    listed = [code for codes in TABLE.content["codes"].values() for code in codes]
    assert sorted(listed) == list(range(1, 163))
    assert set(TABLE.content["codes"]) < set(TABLE.content["buckets"])


@pytest.mark.parametrize(
    ("bucket", "action", "drains"),
    [
        ("ignore", "none", False),
        ("restart_application", "none", False),
        ("reset_gpu", "reboot", True),
        ("workflow_48", "reboot", True),
        ("workflow_45", "none", False),
        ("workflow_nvlink", "reboot", True),
        ("workflow_nvlink5", "check", False),
        ("restart_vm", "reboot", True),
        ("restart_bare_metal", "replace", True),
        ("check_mechanicals", "replace", True),
        ("update_software", "report", False),
        ("report_issue", "check", False),
    ],
)
def test_each_code_of_a_bucket_alone(bucket: str, action: str, drains: bool) -> None:
    for code in TABLE.content["codes"][bucket]:
        assert actions(line(code)) == {code: (action, drains)}, code


def test_undocumented_code_is_shown_and_does_not_drain() -> None:
    (only,) = verdicts(line(999))
    assert (only.action, only.drains, only.bucket) == ("report", False, "undocumented")


def test_forms_of_messages() -> None:
    lines = [
        "[   12.500000] NVRM: Xid (PCI:0000:b9:00): 79, pid=77, name=python, GPU has fallen off"
        " the bus.",
        "Nov 23 host kernel: [   13.500000] NVRM: Xid (0000:B9:00): 31, pid='<unknown>',"
        " name=<unknown>, MMU Fault",
        "NVRM: Xid (PCI:0000:3b:00 GPU-I:05): 43, pid=1, Ch 00000008",
        "[  14.1] NVRM: GPU 0000:b9:00.0: GPU has fallen off the bus.",
        "[  14.2] nvidia-nvswitch0: SXid (PCI:0000:c3:00.0): 20009, Non-fatal, Link 28 error",
        "[  14.3] nvidia-nvswitch0: SXid (PCI:0000:c3:00.0): 20009, Severity 1 Engine instance 28",
        "NVRM: Xid (PCI:0000:66:00): abc, pid=2280636",
    ]
    gone = "GPU has fallen off the bus"
    assert xid.parse(lines) == [
        Message("xid", "0000:b9:00", 79, f"{gone}.", 12.5, pid=77),
        Message("xid", "0000:b9:00", 31, "MMU Fault", 13.5),
        Message("xid", "0000:3b:00", 43, "Ch 00000008", None, pid=1),
        Message("lost", "0000:b9:00", None, gone, 14.1),
        Message("sxid", "0000:c3:00", 20009, "Link 28 error", 14.2, fatal=False),
    ]


def test_the_same_message_in_two_logs_is_one() -> None:
    text = line(63)
    bare = text.split("] ")[1]
    assert len(xid.parse([text, text, bare])) == 1
    assert len(xid.parse([bare, bare])) == 1
    assert len(xid.parse([text, line(63, at=99.0)])) == 2


def test_gpu_that_is_lost_without_a_number_is_replaced() -> None:
    (only,) = verdicts("NVRM: GPU 0000:b9:00.0: GPU has fallen off the bus.")
    assert (only.action, only.drains, only.code) == ("replace", True, None)
    assert only.label == "on 0000:b9:00: GPU has fallen off the bus"
    (unnamed,) = verdicts("NVRM: A GPU has fallen off the bus")
    assert unnamed.label == "on an unknown device: GPU has fallen off the bus"
    # With Xid 79 it is the same event.
    both = verdicts(line(79), "NVRM: GPU 0000:b9:00.0: GPU has fallen off the bus.")
    assert [one.code for one in both] == [79]


@pytest.mark.parametrize(
    ("text", "action", "drains"),
    [
        ("GPU Reset Required", "reboot", True),
        ("Drain and Reset", "reboot", True),
        ("Drain P2P", "reboot", True),
        ("Node Reboot Required", "reboot", True),
        ("OS Reboot", "reboot", True),
        ("None", "none", False),
        ("Reticulate", "check", True),
    ],
)
def test_the_drivers_own_verdict(text: str, action: str, drains: bool) -> None:
    assert actions(recovery(text)) == {154: (action, drains)}


def test_the_last_recovery_action_counts() -> None:
    assert actions(
        recovery("GPU Reset Required"),
        line(
            154, "GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0 (None)", at=20
        ),
    ) == {154: ("none", False)}


def test_recovery_message_that_cannot_be_read_drains() -> None:
    assert actions(line(154, "something else")) == {154: ("check", True)}


def test_48_follows_what_is_behind_it() -> None:
    assert actions(line(48)) == {48: ("reboot", True)}
    assert actions(line(48), line(63)) == {48: ("none", False), 63: ("none", False)}
    assert actions(line(48), line(64)) == {48: ("none", False), 64: ("reboot", True)}
    other = line(63, bus="0000:a9:00")
    assert actions(line(48), other)[48] == ("reboot", True)
    reset = recovery("GPU Reset Required")
    assert actions(line(48), reset) == {48: ("none", False), 154: ("reboot", True)}


def test_45_alone_is_an_echo() -> None:
    assert actions(line(45)) == {45: ("none", False)}
    assert actions(line(45), line(79)) == {45: ("none", False), 79: ("replace", True)}


def test_nvlink_on_one_gpu_reboots_and_on_many_replaces() -> None:
    assert actions(line(74)) == {74: ("reboot", True)}
    both = verdicts(line(74), line(74, bus="0000:a9:00"))
    assert {one.action for one in both} == {"replace"}
    switch = "nvidia-nvswitch0: SXid (PCI:0000:c3:00.0): 20009, Non-fatal, Link 28"
    assert {one.code: one.action for one in verdicts(line(74), switch)} == {
        74: "replace",
        20009: "none",
    }


@pytest.mark.parametrize("code", range(144, 151))
def test_nvlink5_follows_154(code: int) -> None:
    (alone,) = verdicts(line(code))
    assert (alone.action, alone.level, alone.drains) == ("check", "full", False)
    assert actions(line(code), recovery("Node Reboot Required")) == {
        code: ("none", False),
        154: ("reboot", True),
    }


def test_159_depends_on_unified_memory() -> None:
    assert [one.action for one in verdicts(line(159), uvm=True)] == ["reboot"]
    for unused in (False, None):
        (only,) = verdicts(line(159), uvm=unused)
        assert (only.action, only.drains) == ("check", False)


def test_fatal_switch_error_is_replaced() -> None:
    (only,) = verdicts("nvidia-nvswitch1: SXid (PCI:0000:c3:00.0): 23001, Fatal, Link 12")
    assert (only.action, only.drains) == ("replace", True)
    assert only.label == "SXid 23001 on 0000:c3:00: fatal NVSwitch error"


def earlier(
    days: float, *, code: int = 95, boot: str = "before", bus: str = "0000:b9:00"
) -> Event:
    return Event(NOW - days * DAY, boot, bus, code)


def test_second_reboot_within_seven_days_is_a_replacement() -> None:
    (only,) = verdicts(line(95), history=(earlier(6.9),))
    assert only.action == "replace"
    assert only.text == "uncontained memory error; again within 7 days, a reboot did not help"
    for other in (
        earlier(7.1),
        earlier(1, boot="now"),
        earlier(1, bus="0000:a9:00"),
        earlier(1, code=13),
    ):
        assert [one.action for one in verdicts(line(95), history=(other,))] == ["reboot"]


def test_three_jobs_with_application_errors_make_a_gpu_suspect() -> None:
    def event(hours: float, job: str | None, pid: int = 1) -> Event:
        return Event(NOW - hours * 3600, "now", "0000:b9:00", 31, job, pid)

    three = (event(1, "101"), event(2, "102"), event(23, None, 7))
    (only,) = verdicts(history=three)
    assert (only.kind, only.action, only.level, only.drains) == (
        "repeated",
        "check",
        "full",
        False,
    )
    assert only.text == "application errors of 3 jobs in 24 hours"
    assert verdicts(history=(event(1, "101"), event(2, "101"), event(3, "102"))) == []
    assert verdicts(history=(event(1, "101"), event(2, "102"), event(25, "103"))) == []


def test_drained_devices_are_first_and_messages_are_counted() -> None:
    found = verdicts(line(13), line(13, at=20), line(79, bus="0000:a9:00"))
    assert [(one.code, one.count) for one in found] == [(79, 1), (13, 2)]


def test_verdict_yields_to_node_recovery() -> None:
    assert xid.act_after_seconds(TABLE, has_node_recovery=True) == 900
    assert xid.act_after_seconds(TABLE, has_node_recovery=False) == 0
