"""Failures of a node's own services that are over."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, of_log

HEALTHY = """\
Nov 29 10:00:00 ip-10-0-0-5 systemd[1]: Stopping slurmd.service - Slurm node daemon...
Nov 29 10:01:30 ip-10-0-0-5 systemd[1]: slurmd.service: State 'stop-sigterm' timed out. Killing.
Nov 29 10:01:30 ip-10-0-0-5 systemd[1]: slurmd.service: Failed with result 'timeout'.
Nov 29 10:01:30 ip-10-0-0-5 systemd[1]: docker.service: State 'stop-sigterm' timed out. Killing.
Nov 29 10:01:30 ip-10-0-0-5 systemd[1]: docker.service: Failed with result 'timeout'.
Nov 29 10:01:30 ip-10-0-0-5 systemd[1]: nvidia-dcgm.service: Main process exited, code=killed, status=9/KILL
Nov 29 10:01:30 ip-10-0-0-5 systemd[1]: nvidia-dcgm.service: Failed with result 'signal'.
Nov 29 10:01:30 ip-10-0-0-5 systemd[1]: nvidia-persistenced.service: Failed with result 'signal'.
Nov 29 10:01:30 ip-10-0-0-5 systemd[1]: fsx.mount: Mount process exited, code=exited, status=32/n/a
Nov 29 10:02:10 ip-10-0-0-5 systemd[1]: Mounted fsx.mount - /fsx.
Nov 29 10:02:10 ip-10-0-0-5 systemd[1]: Started docker.service - Docker Application Container Engine.
Nov 29 10:02:10 ip-10-0-0-5 systemd[1]: Started nvidia-dcgm.service - NVIDIA DCGM service.
Nov 29 10:02:11 ip-10-0-0-5 nvidia-persistenced[1001]: Started (1001)
Nov 29 10:02:12 ip-10-0-0-5 sssd_be[902]: Backend is offline
Nov 29 10:02:12 ip-10-0-0-5 chronyd[700]: Can't synchronise: no selectable sources
Nov 29 10:02:13 ip-10-0-0-5 chronyd[700]: Selected source 169.254.169.123
Nov 29 10:02:13 ip-10-0-0-5 chronyd[700]: System clock wrong by 1.234567 seconds
Nov 29 10:02:13 ip-10-0-0-5 chronyd[700]: System clock was stepped by 1.234567 seconds
Nov 29 10:02:13 ip-10-0-0-5 systemd[1]: Started slurmd.service - Slurm node daemon.
Nov 29 10:02:20 ip-10-0-0-5 sssd_be[902]: Backend is online
"""


def test_node_whose_services_run_again_after_a_reboot_has_no_finding() -> None:
    assert findings(*of_log(HEALTHY)) == ()


@pytest.mark.parametrize(
    "line",
    [
        "ip-10-0-0-5 systemd[1]: slurmd.service: Failed with result 'core-dump'.",
        "ip-10-0-0-5 systemd[1]: nvidia-dcgm.service: Failed with result 'watchdog'.",
        "ip-10-0-0-5 systemd[1]: fsx.mount: Mount process exited, code=exited, status=32/n/a",
        "ip-10-0-0-5 sssd_be[902]: Backend is offline",
        "ip-10-0-0-5 chronyd[700]: Can't synchronise: no selectable sources",
    ],
)
def test_failure_after_the_start_is_named(line: str) -> None:
    (found,) = findings(*of_log(f"{HEALTHY}Nov 29 11:00:00 {line}"))
    assert line in found.evidence[0].text


_CHANNEL = (
    "2026-11-03 12:40:12.7541 ERROR [ssm-agent-worker] [MessageService] [MGSInteractor] Reach the "
    "retry limit 5 for receive messages. Error: websocket: close 1006 (abnormal closure): "
    "unexpected EOF"
)


def test_channel_of_the_ssm_agent_that_is_opened_again() -> None:
    (found,) = findings(*of_log(_CHANNEL))
    assert "sessions (Session Manager) do not work" in found.cause
    begins = "2026-11-03 12:40:14.1021 INFO [ssm-agent-worker] [MessageService] [MGSInteractor] "
    opened = f"{begins}Successfully opened websocket connection to: 10.0.0.9:443"
    assert findings(*of_log(f"{_CHANNEL}\n{opened}")) == ()
    reconnected = f"{begins}Successfully reconnected with controlchannel with type subscribe"
    assert findings(*of_log(f"{_CHANNEL}\n{reconnected}")) == ()
    other = "2026-11-03 12:40:14 ERROR frob: websocket: close 1006 (abnormal closure)"
    assert len(findings(*of_log(f"{other}\n{opened}"))) == 1
    assert len(findings(*of_log(f"{opened}\n{_CHANNEL}"))) == 1


@pytest.mark.parametrize(
    "line",
    [
        'level=error msg="rpc error: code = Unavailable desc = error reading from server: EOF: '
        'unexpected EOF"',
        "curl: (18) unexpected EOF while reading",
        'Error: Get "https://example.org/a": unexpected EOF',
    ],
)
def test_connection_that_ends_is_no_checkpoint(line: str) -> None:
    assert not any("checkpoint" in f.cause for f in findings(*of_log(line)))


def test_unit_is_known_by_its_title_where_systemd_writes_only_that() -> None:
    log = """\
Nov 29 10:00:00 ip-10-0-0-5 systemd[1]: Stopping Slurm node daemon...
Nov 29 10:01:30 ip-10-0-0-5 systemd[1]: slurmd.service: State 'stop-sigterm' timed out. Killing.
Nov 29 10:01:30 ip-10-0-0-5 systemd[1]: slurmd.service: Failed with result 'timeout'.
Nov 29 10:01:30 ip-10-0-0-5 systemd[1]: Stopped Slurm node daemon.
Nov 29 10:01:31 ip-10-0-0-5 systemd[1]: Started Docker Application Container Engine.
"""
    (found,) = findings(*of_log(log))
    assert found.cause == "the service slurmd did not stop in time, so that systemd killed it"
    assert findings(
        *of_log(f"{log}Nov 29 10:01:31 ip-10-0-0-6 systemd[1]: Started Slurm node daemon.\n")
    )
    started = "Nov 29 10:01:31 ip-10-0-0-5 systemd[1]: Started Slurm node daemon.\n"
    assert findings(*of_log(log + started)) == ()


@pytest.mark.parametrize("name", ["Slurm node daemon", "slurmd.service - Slurm node daemon"])
def test_start_that_failed_before_is_over(name: str) -> None:
    at = "Nov 29 10:00:00 ip-10-0-0-5 systemd[1]:"
    log = (
        f"{at} slurmd.service: Main process exited, code=exited, status=203/EXEC\n"
        f"{at} slurmd.service: Failed with result 'exit-code'.\n{at} Failed to start {name}.\n"
    )
    assert findings(*of_log(log))
    assert findings(*of_log(f"{log}{at} Started {name}.\n")) == ()


@pytest.mark.parametrize(
    ("failed", "started"),
    [
        (
            "ip-10-0-0-5 systemd[1]: dcgm.service: Failed",
            "ip-10-0-0-5 systemd[1]: Started nvidia-dcgm.service",
        ),
        (
            "ip-10-0-0-5 systemd[1]: nvidia-dcgm.service: Failed",
            "ip-10-0-0-5 systemd[1]: Started dcgm.service",
        ),
        (
            "ip-10-0-0-5 systemd[1]: slurmd.service: Failed",
            "ip-10-0-0-6 systemd[1]: Started slurmd.service",
        ),
    ],
)
def test_start_of_another_unit_or_of_another_node_ends_nothing(failed: str, started: str) -> None:
    (found,) = findings(
        *of_log(
            f"Nov 29 10:00:00 {failed} with result 'core-dump'.\nNov 29 10:00:01 {started} - A.\n"
        )
    )
    assert found.cause.endswith(" crashed")
