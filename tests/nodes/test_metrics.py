"""The exporter: what it says of each surface, in a form that Prometheus' own parser takes."""

from __future__ import annotations

import http.client
import stat
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from clusterwright_common.probe import Probe, ProbeError
from clusterwright_metrics import service, text
from clusterwright_metrics.scrape import Scraper, load_sources
from clusterwright_metrics.sources import efa, host, lustre, neuron, nvidia, ours, slurm
from clusterwright_metrics.text import Metrics, exposition
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def parsed(exposed: str) -> Samples:
    """Every sample, by its name and labels, as Prometheus' client reads them."""
    found: Samples = {}
    for family in text_string_to_metric_families(exposed):
        for sample in family.samples:
            key = (sample.name, frozenset(sample.labels.items()))
            assert key not in found, f"{key} twice"
            found[key] = sample.value
    return found


class Machine:
    """A folder with files, and commands that say what they are told to."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        self.bin = folder / "bin"
        self.root.mkdir()
        self.bin.mkdir()

    def file(self, path: str, content: str) -> None:
        target = self.root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)

    def command(self, name: str, script: str) -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def says(self, name: str, output: str) -> None:
        self.file(f"/said/{name}", output)
        self.command(name, f"cat {self.root}/said/{name}")

    def probe(self, seconds: float = 5.0) -> Probe:
        return Probe(str(self.root), seconds, f"{self.bin}:/usr/bin:/bin")

    def samples(self, source: ModuleType) -> Samples:
        metrics = Metrics()
        source.collect(self.probe(), metrics)
        return parsed(exposition([metrics]))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def at(found: Samples, name: str, **labels: str) -> float:
    return found[name, frozenset(labels.items())]


# --- the form


@given(
    st.dictionaries(st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]{0,9}", fullmatch=True), st.text()),
    st.floats(allow_nan=False),
    st.text(),
)
def test_any_label_and_value_comes_out_as_it_went_in(
    labels: dict[str, str], value: float, about: str
) -> None:
    metrics = Metrics()
    # A carriage return is an end of line for the reader; nothing on a node has one.
    labels = {key: word.replace("\r", "") for key, word in labels.items()}
    metrics.add("some_metric", "gauge", about.replace("\r", ""), value, labels)
    assert parsed(exposition([metrics])) == {("some_metric", frozenset(labels.items())): value}


def test_families_of_two_sources_stand_together_and_nothing_twice() -> None:
    one, two = Metrics(), Metrics()
    one.add("a", "gauge", "About.", 1, {"x": "1"})
    one.add("b", "counter", "About.", 1)
    two.add("a", "gauge", "About.", 2, {"x": "2"})
    two.add("a", "gauge", "About.", 3, {"x": "1"})
    exposed = exposition([one, two])
    assert exposed.count("# TYPE a gauge") == 1
    assert at(parsed(exposed), "a", x="1") == 3


def test_a_value_that_is_none_is_no_sample_and_a_bad_name_is_a_bug() -> None:
    metrics = Metrics()
    metrics.add("a", "gauge", "About.", None)
    assert exposition([metrics]) == ""
    with pytest.raises(ValueError, match="not the name"):
        metrics.add("a-b", "gauge", "About.", 1)


# --- the surfaces


def test_the_host(machine: Machine) -> None:
    machine.file("/proc/loadavg", "0.50 0.25 0.10 1/200 4242\n")
    machine.file("/proc/stat", "cpu  10 0 0 0\ncpu0 200 0 100 700 0 0 0 0\nbtime 1700000000\n")
    machine.file("/proc/meminfo", "MemTotal:  2048 kB\nMemAvailable:  1024 kB\nHugePages: 0\n")
    machine.file("/proc/net/dev", "head\nhead\n  ens5: 10 1 0 0 0 0 0 0 20 2 0 0 0 0 0 0\n")
    (machine.root / "sys/block/nvme0n1").mkdir(parents=True)
    machine.file(
        "/proc/diskstats",
        "259 0 nvme0n1 5 0 8 1 6 0 16 1 0 1500 2\n259 1 nvme0n1p1 5 0 8 1 6 0 16 1 0 1500 2\n",
    )
    mounts = ("/dev/root / ext4 rw 0 0", "fs@tcp:/m /fsx lustre rw 0 0", "proc /proc proc rw 0 0")
    mounts += ("overlay /var/lib/x overlay rw 0 0", "tmpfs /run tmpfs rw 0 0")
    machine.file("/proc/1/mounts", "\n".join([*mounts, "/dev/nvme1n1 /old\\040disk xfs ro 0 0"]))
    # What the service sees of itself, in its sandbox.
    machine.file("/proc/self/mounts", "/dev/root / ext4 ro 0 0\n")
    (machine.root / "old disk").mkdir()
    (machine.root / "fsx").mkdir()
    found = machine.samples(host)
    assert at(found, "node_load1") == 0.5
    assert at(found, "node_memory_MemAvailable_bytes") == 1024 * 1024
    assert at(found, "node_cpu_seconds_total", cpu="0", mode="idle") == 7.0
    assert at(found, "node_boot_time_seconds") == 1_700_000_000
    assert at(found, "node_network_transmit_bytes_total", device="ens5") == 20
    assert at(found, "node_disk_written_bytes_total", device="nvme0n1") == 16 * 512
    assert at(found, "node_disk_io_time_seconds_total", device="nvme0n1") == 1.5
    assert not any("nvme0n1p1" in str(key) for key in found)
    lustre_labels = {"device": "fs@tcp:/m", "fstype": "lustre", "mountpoint": "/fsx"}
    assert at(found, "node_filesystem_size_bytes", **lustre_labels) > 0
    assert at(found, "node_filesystem_device_error", **lustre_labels) == 0
    points = {dict(key[1]).get("mountpoint") for key in found}
    assert points == {None, "/", "/fsx", "/old disk"}
    read_only = {
        dict(labels)["mountpoint"]: value
        for (name, labels), value in found.items()
        if name == "node_filesystem_readonly"
    }
    assert read_only == {"/": 0, "/fsx": 0, "/old disk": 1}


def test_a_file_system_that_does_not_answer_costs_itself_alone(machine: Machine) -> None:
    machine.file("/proc/loadavg", "1 1 1 1/1 1\n")
    machine.file("/proc/self/mounts", "a /fsx lustre rw 0 0\n")
    machine.command("stat", "sleep 60")
    metrics = Metrics()
    began = time.monotonic()
    host.collect(machine.probe(seconds=0.5), metrics)
    assert time.monotonic() - began < 3
    found = parsed(exposition([metrics]))
    labels = {"device": "a", "fstype": "lustre", "mountpoint": "/fsx"}
    assert at(found, "node_filesystem_device_error", **labels) == 1
    assert at(found, "node_load1") == 1


_SMI = "\n".join(
    f"{n}, GPU-{n}, 97, 81559, 1024, 45, 350.25, 1980, 16, 0, {2 if n == 3 else 0}"
    for n in range(8)
)


def test_gpus_by_nvidia_smi(machine: Machine) -> None:
    machine.file("/proc/driver/nvidia/version", "570\n")
    machine.says("nvidia-smi", _SMI + "\n")
    found = machine.samples(nvidia)
    assert at(found, "gpu_count") == 8
    assert at(found, "gpu_utilization_ratio", gpu="0", uuid="GPU-0") == pytest.approx(0.97)
    assert at(found, "gpu_memory_used_bytes", gpu="7", uuid="GPU-7") == 1024 * 2**20
    assert at(found, "gpu_ecc_uncorrected_total", gpu="3", uuid="GPU-3") == 2
    assert not any(name.startswith("DCGM") for name, _ in found)


def test_what_a_gpu_does_not_support_is_left_out(machine: Machine) -> None:
    machine.file("/proc/driver/nvidia/version", "570\n")
    machine.says("nvidia-smi", "0, GPU-0, [N/A], 15360, 0, 30, [Not Supported], 1, 8, 0, [N/A]\n")
    found = machine.samples(nvidia)
    assert at(found, "gpu_memory_total_bytes", gpu="0", uuid="GPU-0") == 15360 * 2**20
    names = {name for name, _ in found}
    assert not names & {"gpu_power_watts", "gpu_utilization_ratio", "gpu_ecc_uncorrected_total"}


def test_dcgm_where_it_answers(machine: Machine) -> None:
    machine.file("/proc/driver/nvidia/version", "570\n")
    machine.says("nvidia-smi", _SMI + "\n")
    values = ["1980", "50", "45", "350.2", "12345", "0", "97", "20", "0", "70000", "1024"]
    values += ["0", "0", "0", "N/A", "0.970", "0.900", "0.450", "0.300"]
    rows = "\n".join(f"GPU {n}     " + "   ".join(values) for n in range(8))
    machine.says("dcgmi", f"#Entity   SMCLK  MMTMP ...\nID\n{rows}\n")
    found = machine.samples(nvidia)
    assert at(found, "dcgm_up") == 1
    labels = {"gpu": "5", "UUID": "GPU-5"}
    assert at(found, "DCGM_FI_DEV_GPU_TEMP", **labels) == 45
    assert at(found, "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", **labels) == 0.45
    assert not any(name == "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL" for name, _ in found)


def test_dcgm_without_its_daemon_takes_nothing_away(machine: Machine) -> None:
    machine.file("/proc/driver/nvidia/version", "570\n")
    machine.says("nvidia-smi", _SMI + "\n")
    machine.command("dcgmi", "echo 'Error: unable to establish a connection' >&2; exit 255")
    found = machine.samples(nvidia)
    assert at(found, "dcgm_up") == 0
    assert at(found, "gpu_count") == 8


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("echo 'Unable to determine the device handle for GPU3' >&2; exit 15", "GPU3"),
        ("echo something else", "form not known"),
        ("sleep 60", "did not answer"),
    ],
)
def test_nvidia_smi_that_fails_is_said(machine: Machine, script: str, says: str) -> None:
    machine.file("/proc/driver/nvidia/version", "570\n")
    machine.command("nvidia-smi", script)
    with pytest.raises(ProbeError, match=says):
        nvidia.collect(machine.probe(seconds=0.5), Metrics())


def test_an_image_for_gpus_on_a_node_without_any(machine: Machine) -> None:
    machine.command("nvidia-smi", "echo 'has failed' >&2; exit 9")
    assert machine.samples(nvidia) == {}


@pytest.mark.parametrize("moved", [False, True])
def test_neuron_devices_by_sysfs(machine: Machine, moved: bool) -> None:
    folder = "/sys/devices/virtual/neuron_device/neuron1"
    machine.file("/dev/neuron0", "")
    machine.file("/dev/neuron1", "")
    if moved:
        machine.file(f"{folder}/hardware/errors/mem_ecc_uncorrected/total", "3\n")
    else:
        machine.file(f"{folder}/stats/hardware/mem_ecc_uncorrected", "3\n")
    (machine.root / folder.lstrip("/") / "subsystem").symlink_to(machine.root / "sys")
    machine.file(f"{folder}/stats/power/utilization", "POWER_STATUS_VALID,17000,1.0,90.0,45.5\n")
    core = f"{folder}/neuron_core0/stats"
    machine.file(f"{core}/status/success/total", "12\n")
    machine.file(f"{core}/memory_usage/device_mem/total", "4096\n")
    machine.file(f"{core}/other_info/flop_count", "77\n")
    found = machine.samples(neuron)
    assert at(found, "neuron_device_count") == 2
    assert at(found, "neuron_mem_ecc_uncorrected_total", device="1") == 3
    assert at(found, "neuron_power_utilization_ratio", device="1") == pytest.approx(0.455)
    assert at(found, "neuron_calls_total", device="1", core="0", status="success") == 12
    assert at(found, "neuron_device_memory_used_bytes", device="1", core="0") == 4096
    assert at(found, "neuron_flops_total", device="1", core="0") == 77


def test_efa_by_sysfs(machine: Machine) -> None:
    for number in range(2):
        folder = f"/sys/class/infiniband/rdmap{number}s0"
        machine.file(f"{folder}/device/vendor", "0x1d0f\n")
        machine.file(f"{folder}/ports/1/state", "4: ACTIVE\n" if number else "1: DOWN\n")
        machine.file(f"{folder}/ports/1/hw_counters/rdma_read_bytes", "4096\n")
        machine.file(f"{folder}/ports/1/hw_counters/lifespan", "12\n")
        machine.file(f"{folder}/ports/1/hw_counters/some-new.counter", "5\n")
    machine.file("/sys/class/infiniband/mlx5_0/device/vendor", "0x15b3\n")
    found = machine.samples(efa)
    assert at(found, "efa_device_count") == 2
    assert at(found, "efa_port_active", device="rdmap0s0", port="1") == 0
    assert at(found, "efa_port_active", device="rdmap1s0", port="1") == 1
    assert at(found, "efa_rdma_read_bytes_total", device="rdmap1s0", port="1") == 4096
    assert at(found, "efa_some_new_counter_total", device="rdmap1s0", port="1") == 5
    assert not any("lifespan" in name or "mlx5" in str(labels) for name, labels in found)


_LLITE = """llite.fsx-ffff9a0c1e2d3000.stats=
snapshot_time             1700000000.123456789 secs.nsecs
start_time                1690000000.1 secs.nsecs
read_bytes                10 samples [bytes] 4096 1048576 10485760 99999
write_bytes               3 samples [bytes] 1 2 5
open                      7 samples [usec] 1 2 9 20
"""
_LNET = """net:
    - net type: lo
      local NI(s):
        - nid: 0@lo
          status: up
    - net type: efa
      local NI(s):
        - nid: 10.0.0.5@efa
          status: down
          interfaces:
              0: rdmap0s0
          statistics:
              send_count: 12
              recv_count: 13
              drop_count: 0
"""


def test_lustre_by_its_own_tools(machine: Machine) -> None:
    machine.says("lctl", _LLITE)
    machine.says("lnetctl", _LNET)
    found = machine.samples(lustre)
    assert at(found, "lustre_client_bytes_total", fs="fsx", operation="read_bytes") == 10485760
    assert at(found, "lustre_client_operations_total", fs="fsx", operation="open") == 7
    assert not any(
        ("operation", "open") in labels for name, labels in found if "bytes_total" in name
    )
    labels = {"net": "efa", "nid": "10.0.0.5@efa"}
    assert at(found, "lustre_lnet_up", **labels) == 0
    assert at(found, "lustre_lnet_messages_total", direction="recv", **labels) == 13


def test_one_tool_of_lustre_that_fails_leaves_the_other(machine: Machine) -> None:
    machine.command("lctl", "echo 'error: get_param: No such file' >&2; exit 2")
    machine.says("lnetctl", _LNET)
    metrics = Metrics()
    with pytest.raises(ProbeError, match="get_param"):
        lustre.collect(machine.probe(), metrics)
    assert "lustre_lnet_up" in metrics.families


_SINFO = """\
train   |ip-10-0-0-31 |idle    |gpu:h100:8(S:0-1)   |gpu:h100:0(IDX:N/A) |none
debug   |ip-10-0-0-31 |idle    |gpu:h100:8(S:0-1)   |gpu:h100:0(IDX:N/A) |none
train   |ip-10-0-0-32 |mixed-  |gpu:h100:8(S:0-1)   |gpu:h100:5(IDX:0-4) |none
train   |ip-10-0-0-33 |drained |gpu:h100:8,neuron:2 |gpu:0 |clusterwright: gpu: 7 of 8
train   |ip-10-0-0-34 |down*   |(null)              |gpu:0 |Not responding
"""
_SDIAG = """*******************************************************
sdiag output at Sat Nov 21 05:00:00 2026 (1)
*******************************************************
Server thread count:  3
Agent queue size:     0
DBD Agent queue size: 2

Jobs submitted: 5
Jobs started:   4

Main schedule statistics (microseconds):
	Last cycle:   129
	Max cycle:    1000

Backfilling stats
	Last cycle: 2000
"""


def test_slurm_on_the_controller(machine: Machine) -> None:
    machine.says("sinfo", _SINFO)
    machine.says("squeue", "train|RUNNING\ntrain|RUNNING\ntrain|PENDING\ntrain|NODE_FAIL\n")
    machine.says("sdiag", _SDIAG)
    found = machine.samples(slurm)
    assert at(found, "slurm_nodes", partition="train", state="idle") == 1
    assert at(found, "slurm_nodes", partition="debug", state="idle") == 1
    assert at(found, "slurm_nodes", partition="train", state="mixed") == 1
    assert at(found, "slurm_nodes", partition="train", state="down") == 1
    # A node in two partitions has its devices once.
    assert at(found, "slurm_devices", resource="gpu") == 24
    assert at(found, "slurm_devices_allocated", resource="gpu") == 5
    assert at(found, "slurm_devices", resource="neuron") == 2
    assert at(found, "slurm_nodes_drained_by_health") == 1
    assert at(found, "slurm_jobs", partition="train", state="running") == 2
    assert at(found, "slurm_jobs", partition="train", state="node_fail") == 1
    assert at(found, "slurm_scheduler_dbd_queue_size") == 2
    assert at(found, "slurm_scheduler_last_cycle_seconds", scheduler="main") == 0.000129
    assert at(found, "slurm_scheduler_last_cycle_seconds", scheduler="backfill") == 0.002


def test_a_controller_that_is_down_is_said(machine: Machine) -> None:
    machine.command("sinfo", "echo 'Unable to contact slurm controller' >&2; exit 1")
    with pytest.raises(ProbeError, match="Unable to contact"):
        slurm.collect(machine.probe(), Metrics())


def test_what_our_programs_wrote_down(machine: Machine) -> None:
    machine.file("/var/lib/clusterwright/health.json", '{"findings": ["gpu: 7 of 8"]}')
    machine.file("/var/lib/clusterwright/journal.json", '{"step": "lustre"}')
    machine.file("/var/lib/clusterwright/preload-fsx.json", '{"files_seen": 9, "files_loaded": 4}')
    machine.file("/var/lib/clusterwright/preload-bad.json", "[")
    found = machine.samples(ours)
    assert at(found, "clusterwright_health_findings") == 1
    assert at(found, "clusterwright_node_program_unfinished") == 1
    assert at(found, "clusterwright_preload_files_loaded", file_system="fsx") == 4


@pytest.mark.parametrize("source", [efa, host, lustre, neuron, nvidia, ours, slurm])
def test_a_surface_that_is_missing_says_nothing(machine: Machine, source: ModuleType) -> None:
    assert machine.samples(source) == {}


# --- one look at everything


def fake(collect: Callable[[Probe, Metrics], None]) -> ModuleType:
    module = ModuleType("fake")
    module.ROLES = ("compute",)  # type: ignore[attr-defined]
    module.collect = collect  # type: ignore[attr-defined]
    return module


def good(_: Probe, metrics: Metrics) -> None:
    metrics.add("good", "gauge", "About.", 1)


def test_every_role_has_its_sources() -> None:
    assert "slurm" in load_sources("controller")
    assert "nvidia" not in load_sources("controller")
    assert {"host", "nvidia", "neuron", "efa", "lustre", "ours"} <= set(load_sources("compute"))


def test_a_source_that_fails_or_breaks_costs_itself_alone() -> None:
    def unanswered(_: Probe, metrics: Metrics) -> None:
        metrics.add("half", "gauge", "About.", 1)
        raise ProbeError("nobody there")

    def broken(_: Probe, __: Metrics) -> None:
        raise KeyError("x")

    said: list[str] = []
    modules = {"a": fake(unanswered), "b": fake(broken), "c": fake(good)}
    scraper = Scraper("compute", Probe, 2.0, modules, said.append)
    found = parsed(scraper.text())
    assert at(found, "clusterwright_source_up", source="a") == 0
    assert at(found, "clusterwright_source_up", source="b") == 0
    assert at(found, "clusterwright_source_up", source="c") == 1
    assert at(found, "good") == at(found, "half") == 1
    assert said == ["a: nobody there", "b: KeyError: 'x'"]


def test_a_source_that_hangs_is_left_behind_and_not_started_again() -> None:
    release, started = threading.Event(), []

    def hangs(_: Probe, metrics: Metrics) -> None:
        started.append(1)
        release.wait(30)
        metrics.add("late", "gauge", "About.", 1)

    said: list[str] = []
    modules = {"a": fake(hangs), "c": fake(good)}
    scraper = Scraper("compute", Probe, 0.2, modules, said.append)
    try:
        for _ in range(2):
            scraper._kept = None
            began = time.monotonic()
            found = parsed(scraper.text())
            assert time.monotonic() - began < 5
            assert at(found, "clusterwright_source_up", source="a") == 0
            assert at(found, "good") == 1
            assert not any(name == "late" for name, _ in found)
        assert len(started) == 1
        assert len(said) == 1
    finally:
        release.set()
    scraper._left_behind["a"].thread.join(5)  # type: ignore[union-attr]
    scraper._kept = None
    found = parsed(scraper.text())
    assert len(started) == 2, "what it found while nobody waited is old: it is asked again"
    assert at(found, "late") == 1
    assert said[-1] == "a: answers again"


def test_who_asks_twice_at_once_gets_the_same_answer() -> None:
    asked = []
    modules = {"a": fake(lambda *_: asked.append(1))}
    scraper = Scraper("compute", Probe, 2.0, modules, lambda _: None)
    assert scraper.text() == scraper.text()
    assert len(asked) == 1


# --- the server


@pytest.fixture
def served() -> Iterator[Callable[[str, str], tuple[int, str, str]]]:
    scraper = Scraper("compute", Probe, 2.0, {"c": fake(good)}, lambda _: None)
    server = service.Server(("127.0.0.1", 0), scraper)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()

    def ask(method: str, path: str) -> tuple[int, str, str]:
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
        connection.request(method, path)
        answer = connection.getresponse()
        return answer.status, answer.headers.get("Content-Type", ""), answer.read().decode()

    yield ask
    server.shutdown()
    server.server_close()


@pytest.mark.enable_socket
def test_the_server_answers_scrapes_and_nothing_else(served: Any) -> None:
    status, kind, body = served("GET", "/metrics")
    assert (status, kind) == (200, text.CONTENT_TYPE)
    assert at(parsed(body), "good") == 1
    assert served("GET", "/")[0] == 404
    assert served("GET", "/../etc/passwd")[0] == 404
    assert served("POST", "/metrics")[0] == 501


def test_an_address_that_is_not_ours_ends_the_service_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(service, "_WAIT_SECONDS", -1.0)
    monkeypatch.setattr(
        service, "Server", lambda *_: (_ for _ in ()).throw(OSError(99, "Cannot assign"))
    )
    with pytest.raises(SystemExit, match=r"cannot listen at 192\.0\.2\.1:9177"):
        service.main(["--role=compute", "--listen=192.0.2.1:9177"])
