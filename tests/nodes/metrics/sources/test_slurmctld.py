"""Tests of slurmctld's own metrics, on the output of slurmctld 26.05.5."""

from __future__ import annotations

import http.server
import shutil
import threading

import pytest
from clusterwright_common.probe import ProbeError
from clusterwright_metrics.sources import slurm, slurmctld

from tests.nodes.metrics.fake_node import (
    CONFIG,
    OPENMETRICS,
    SDIAG,
    SINFO,
    SQUEUE,
    Machine,
    at,
)


@pytest.fixture
def controller(machine: Machine) -> Machine:
    machine.says("scontrol", CONFIG)
    machine.file("/said/openmetrics", OPENMETRICS)
    said = f"{machine.root}/said/openmetrics"
    machine.command("curl", f'echo "$*" >{machine.root}/asked; cat {said}')
    return machine


def test_figures_that_commands_do_not_tell_are_passed_on(controller: Machine) -> None:
    found = controller.samples(slurmctld)
    assert {name for name, _ in found} == slurmctld.PASSED_ON
    assert at(found, "slurm_nodes_idle") == 2
    assert at(found, "slurm_partition_nodes_idle", partition="train") == 2
    asked = (controller.root / "asked").read_text().split()
    assert asked[-4:] == [
        f"http://10.1.0.10:6817/metrics/{path}"
        for path in ("jobs", "nodes", "partitions", "scheduler")
    ]


def test_no_name_is_also_one_of_the_commands(controller: Machine) -> None:
    """Both have `slurm_nodes`, `slurm_jobs` and `slurm_jobs_failed`, with other meanings."""
    for name, text in (("sinfo", SINFO), ("squeue", SQUEUE), ("sdiag", SDIAG)):
        controller.says(name, text)
    of_commands = {name for name, _ in controller.samples(slurm)}
    assert of_commands & {line.split()[2] for line in OPENMETRICS.splitlines() if "# TYPE" in line}
    assert not of_commands & slurmctld.PASSED_ON


@pytest.mark.parametrize(
    "configuration",
    [
        "ClusterName = prod\nSlurmctldPort = 6817\n",
        CONFIG.replace("metrics/openmetrics", "(null)"),
    ],
    ids=["older", "off"],
)
def test_slurm_without_them_has_none(controller: Machine, configuration: str) -> None:
    controller.says("scontrol", configuration)
    assert controller.samples(slurmctld) == {}
    assert not (controller.root / "asked").exists()


def test_a_slurmctld_that_is_down_is_reported_by_the_source_slurm(controller: Machine) -> None:
    """Clusters without these metrics would have an alert of a source that they do not use."""
    controller.command("scontrol", "echo 'Unable to contact slurm controller' >&2; exit 1")
    assert controller.samples(slurmctld) == {}
    controller.command("sinfo", "exit 1")
    with pytest.raises(ProbeError):
        controller.samples(slurm)


def test_a_node_without_slurm_has_none(machine: Machine) -> None:
    assert machine.samples(slurmctld) == {}


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("SlurmctldHost[0] = ctl\n", "ctl:6817"),
        (
            "SlurmctldHost[0] = ctl(10.9.8.7)\nSlurmctldHost[1] = other(10.9.8.6)\n",
            "10.9.8.7:6817",
        ),
    ],
)
def test_the_address_is_that_of_the_first_controller(
    controller: Machine, host: str, address: str
) -> None:
    controller.says(
        "scontrol", host + "MetricsType = metrics/openmetrics\nSlurmctldPort = 6817-6820\n"
    )
    assert controller.samples(slurmctld)
    assert f"http://{address}/metrics/jobs" in (controller.root / "asked").read_text()


class _OnlyTheLast(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        ok = self.path == f"/metrics/{slurmctld.PATHS[-1]}"
        self.send_response(200 if ok else 500)
        self.end_headers()
        self.wfile.write(OPENMETRICS.encode() if ok else b"")

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.enable_socket
@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_one_path_that_fails_is_a_failure(machine: Machine) -> None:
    """Without --fail-early curl has the status of the last transfer."""
    with http.server.HTTPServer(("127.0.0.1", 0), _OnlyTheLast) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        machine.says(
            "scontrol",
            "MetricsType = metrics/openmetrics\nSlurmctldHost[0] = ctl(127.0.0.1)\n"
            f"SlurmctldPort = {server.server_port}\n",
        )
        try:
            with pytest.raises(ProbeError, match="returned error: 500"):
                machine.samples(slurmctld)
        finally:
            server.shutdown()
            thread.join()


def test_what_prevents_them_is_said(controller: Machine) -> None:
    """Slurm refuses them with PrivateData, for example."""
    controller.command(
        "curl", "echo 'curl: (22) The requested URL returned error: 401' >&2; exit 22"
    )
    with pytest.raises(ProbeError, match="returned error: 401"):
        controller.samples(slurmctld)
    (controller.bin / "curl").unlink()
    controller.says("scontrol", "MetricsType = metrics/openmetrics\n")
    with pytest.raises(ProbeError, match="names no controller"):
        controller.samples(slurmctld)
