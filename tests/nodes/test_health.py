"""The health program on a folder that looks like a node, with commands that are small scripts."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from clusterwright_common.probe import Probe
from clusterwright_health import checks, program
from clusterwright_health.expected import FILE, Expected, NoExpectation, read_expected, written
from clusterwright_health.finding import REMEDIES
from clusterwright_health.slurm_node import read_state

NODE = "ip-10-1-0-21"
HEALTHY = "\n".join(f"{i}, 00000000:{0x53 + 16 * i:02X}:00.0, 0, 16, 16" for i in range(8))


class Machine:
    """A node: files below `root`, commands in `bin`, Slurm's view of the node in a file."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        self.bin = folder / "bin"
        self.bin.mkdir(parents=True)
        self.slurm = folder / "slurm-state"
        self.slurm.write_text("State=IDLE\n")
        self.asked = folder / "asked"
        self.expect()
        self.mounts("/fsx", "/home")
        self.gpus(HEALTHY)
        for number in range(4):
            self.write(f"/sys/class/infiniband/rdmap{number}s0/device/vendor", "0x1d0f\n")
            self.efa(number, "4: ACTIVE")
        self.command("stat", "exit 0")
        self.command(
            "scontrol",
            f"""
            echo "$@" >>{self.asked}
            if [ "$1" = update ]; then
              case "$3" in
                State=DRAIN) echo "State=IDLE+DRAIN ${{4}} [root@2026-11-21T03:00:00]" ;;
                State=RESUME) echo "State=IDLE" ;;
              esac >{self.slurm}
            else echo "NodeName=$4 Arch=x86_64 $(cat {self.slurm})"; fi
            """,
        )

    def expect(self, **changes: object) -> None:
        fields = {
            "slurm_name": NODE,
            "accelerator": "nvidia",
            "accelerator_count": 8,
            "efa_count": 4,
            "shared_paths": ("/fsx", "/home"),
            "scratch_path": None,
        }
        self.write(FILE, written(Expected(**{**fields, **changes})))  # type: ignore[arg-type]

    def write(self, path: str, text: str) -> None:
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def mounts(self, *paths: str) -> None:
        self.write("/proc/self/mounts", "".join(f"source {p} lustre rw 0 0\n" for p in paths))

    def efa(self, number: int, state: str) -> None:
        self.write(f"/sys/class/infiniband/rdmap{number}s0/ports/1/state", state)

    def gpus(self, rows: str, exit_code: int = 0, remapped: str = "") -> None:
        self.command(
            "nvidia-smi",
            f"case \"$1\" in --query-gpu*) cat <<'E'\n{rows}\nE\n exit {exit_code};;\n"
            f"*) cat <<'E'\n{remapped}\nE\n esac",
        )

    def command(self, name: str, body: str) -> None:
        file = self.bin / name
        file.write_text("#!/bin/bash\n" + body + "\n")
        file.chmod(0o755)

    def drained(self, reason: str) -> None:
        self.slurm.write_text(f"State=IDLE+DRAIN Reason={reason} [root@2026-11-21T03:00:00]\n")

    def probe(self, seconds: float = 30.0) -> Probe:
        return Probe(str(self.root), seconds, f"{self.bin}:/usr/bin:/bin")

    def findings(self, *, quick: bool = False) -> list[str]:
        probe = self.probe()
        return [
            finding.text
            for finding in program.findings_of(probe, read_expected(probe), quick=quick)
        ]

    def look(self, mode: str = "periodic") -> int:
        return program.main([mode], self.probe())

    @property
    def updates(self) -> list[str]:
        if not self.asked.exists():
            return []
        return [line for line in self.asked.read_text().splitlines() if line[:6] == "update"]

    @property
    def events(self) -> list[dict[str, object]]:
        file = self.root / program.LOG.lstrip("/")
        lines = file.read_text().splitlines() if file.exists() else []
        return [json.loads(line) for line in lines]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_healthy_node_is_left_alone(machine: Machine) -> None:
    for mode in program.MODES:
        assert machine.look(mode) == 0
    assert machine.updates == []
    assert machine.events == []


# --- what each check finds


def rows(**changes: tuple[str, ...]) -> str:
    lines = HEALTHY.splitlines()
    for key, cells in changes.items():
        lines[int(key[3:])] = ", ".join(cells)
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("\n".join(HEALTHY.splitlines()[:7]), "gpu: 7 of 8 GPUs (replace)"),
        ("", "gpu: 0 of 8 GPUs (replace)"),
        (
            rows(gpu3=("3", "00000000:83:00.0", "4", "16", "16")),
            "gpu: GPU 3 (00000000:83:00.0): 4 uncorrected memory errors (replace)",
        ),
        (
            rows(gpu5=("5", "00000000:A3:00.0", "0", "8", "16")),
            "pcie: GPU 5 (00000000:A3:00.0): 8 of 16 lanes (reboot)",
        ),
        (
            rows(gpu5=("something", "else")),
            "gpu: nvidia-smi answers in a form not known here (reboot)",
        ),
    ],
)
def test_gpus(machine: Machine, table: str, expected: str) -> None:
    machine.gpus(table)
    assert expected in machine.findings()
    assert expected in machine.findings(quick=True)


def test_what_the_device_does_not_tell_is_no_finding(machine: Machine) -> None:
    machine.gpus(rows(gpu0=("0", "00000000:53:00.0", "[N/A]", "[N/A]", "[N/A]")))
    assert machine.findings() == []


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            "Unable to determine the device handle for GPU3: 00000000:83:00.0: Unknown Error",
            "(replace)",
        ),
        ("NVIDIA-SMI has failed because it couldn't communicate with the driver.", "(reboot)"),
    ],
)
def test_nvidia_smi_that_fails_is_quoted(machine: Machine, said: str, expected: str) -> None:
    machine.gpus(said, exit_code=15)
    (finding,) = machine.findings()
    assert finding == f"gpu: nvidia-smi: {said[:120]} {expected}"


def test_remapped_rows(machine: Machine) -> None:
    machine.gpus(HEALTHY, remapped="00000000:53:00.0, Yes, No\n00000000:63:00.0, 1, 1")
    assert machine.findings() == [
        "gpu: GPU 00000000:63:00.0: a row could not be remapped (replace)",
        "gpu: GPU 00000000:53:00.0: a row waits to be remapped (reset)",
    ]


def test_xid_messages_count_once_and_only_those_of_hardware(machine: Machine) -> None:
    off_the_bus = "NVRM: Xid (PCI:0000:83:00): 79, pid=77, GPU has fallen off the bus."
    machine.command(
        "dmesg",
        f"echo '[12.3] {off_the_bus}'\n"
        "echo '[13.0] NVRM: Xid (PCI:0000:53:00): 13, Graphics Exception'\n"
        "echo '[13.1] NVRM: Xid (PCI:0000:53:00): 999, unheard of'",
    )
    machine.command("journalctl", f"echo '{off_the_bus}'")
    text = "xid: 79 on 0000:83:00: GPU has fallen off the bus (replace)"
    assert machine.findings() == [text]
    assert machine.findings(quick=True) == []


@pytest.mark.parametrize("moved", [False, True])
def test_neuron_devices(machine: Machine, moved: bool) -> None:
    machine.expect(accelerator="neuron", accelerator_count=16)
    for number in range(16):
        machine.write(f"/dev/neuron{number}", "")
    machine.gpus("", exit_code=9)
    assert machine.findings() == []
    folder = "/sys/devices/virtual/neuron_device/neuron3/stats/hardware"
    if moved:  # as a driver may have it: elsewhere, and a folder
        folder = folder.replace("stats/hardware", "errors")
        (machine.root / folder.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
        (machine.root / folder.lstrip("/")).parent.joinpath("subsystem").symlink_to("..")
        machine.write(f"{folder}/mem_ecc_uncorrected/total", "0\n")
        machine.write(f"{folder}/sram_ecc_uncorrected/total", "2\n")
    else:
        machine.write(f"{folder}/mem_ecc_uncorrected", "0\n")
        machine.write(f"{folder}/sram_ecc_uncorrected", "2\n")
    (machine.root / "dev/neuron15").unlink()
    assert machine.findings() == [
        "neuron: 15 of 16 devices (replace)",
        "neuron: neuron3: sram_ecc_uncorrected is 2 (replace)",
    ]


def test_efa_devices_and_ports(machine: Machine) -> None:
    machine.efa(1, "1: DOWN")
    machine.efa(2, "1: DOWN")
    assert machine.findings() == ["efa: rdmap1s0 and 1 more not active"]
    machine.expect(efa_count=32)
    assert "efa: 4 of 32 devices (reboot)" in machine.findings()
    machine.expect(efa_count=0)
    assert machine.findings() == []


def test_a_file_system_that_is_not_there_or_does_not_answer(machine: Machine) -> None:
    machine.mounts("/home")
    assert machine.findings() == ["storage: /fsx is not mounted"]
    machine.mounts("/fsx", "/home")
    machine.command("stat", '[ "$2" = /home ] && { echo "stale" >&2; exit 1; }; exit 0')
    assert machine.findings() == ["storage: /home: stale"]


def test_a_dead_mount_costs_no_more_than_the_time_there_is(machine: Machine) -> None:
    machine.command("stat", "exec sleep 60")
    probe = machine.probe(seconds=1.0)
    began = time.monotonic()
    found = program.findings_of(probe, read_expected(probe), quick=True)
    assert time.monotonic() - began < 5
    assert "storage: /fsx: no answer in time" in [finding.text for finding in found]


def test_the_clock(machine: Machine) -> None:
    machine.command("chronyc", "echo 'Leap status     : Normal'")
    assert machine.findings() == []
    machine.command("chronyc", "echo 'Leap status     : Not synchronised'")
    assert machine.findings() == ["clock: not synchronised"]


def test_dcgm_has_a_word_where_it_watches(machine: Machine) -> None:
    def answer(value: str) -> None:
        body = json.dumps({"body": {"Overall Health": {"value": value}}})
        machine.command("dcgmi", f"echo '{body}'")

    answer("Warning")
    assert machine.findings() == []
    answer("Failure")
    assert machine.findings() == ["dcgm: overall health: Failure (reboot)"]
    machine.command("dcgmi", "echo 'Error: no watches'; exit 1")
    assert machine.findings() == []


# --- what is told to Slurm


def test_a_finding_drains_and_the_job_of_a_prolog_goes_elsewhere(machine: Machine) -> None:
    machine.efa(1, "1: DOWN")
    assert machine.look("prolog") == 1
    assert machine.updates == [
        f"update NodeName={NODE} State=DRAIN Reason=clusterwright: efa: rdmap1s0 not active"
    ]
    assert machine.look("epilog") == 0
    assert len(machine.updates) == 1  # said once


def test_slurms_own_name_of_the_node_wins(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURMD_NODENAME", "workers-7")
    machine.efa(1, "1: DOWN")
    machine.look()
    assert machine.updates[0].startswith("update NodeName=workers-7 State=DRAIN")


def test_the_gravest_finding_is_the_reason(machine: Machine) -> None:
    machine.efa(1, "1: DOWN")
    machine.gpus("\n".join(HEALTHY.splitlines()[:6]))
    machine.look()
    (update,) = machine.updates
    assert "gpu: 6 of 8 GPUs (replace); 1 more in /var/log" in update
    (event,) = machine.events
    assert event["findings"] == ["gpu: 6 of 8 GPUs (replace)", "efa: rdmap1s0 not active"]


def test_it_comes_back_after_two_clean_looks_in_a_row(machine: Machine) -> None:
    machine.efa(1, "1: DOWN")
    machine.look()
    machine.efa(1, "4: ACTIVE")
    machine.look()
    assert len(machine.updates) == 1
    machine.efa(1, "1: DOWN")
    machine.look()
    machine.efa(1, "4: ACTIVE")
    machine.look()
    assert len(machine.updates) == 1
    machine.look("prolog")  # a job's look is not a periodic one
    machine.look()
    assert machine.updates[1:] == [f"update NodeName={NODE} State=RESUME"]
    machine.look()
    assert len(machine.updates) == 2


@pytest.mark.parametrize("reason", ["maintenance by ada", "Prolog error", ""])
def test_what_somebody_else_drained_is_theirs(machine: Machine, reason: str) -> None:
    machine.drained(reason)
    for _ in range(3):
        machine.look()
    machine.efa(1, "1: DOWN")
    machine.look()
    assert machine.updates == []


def test_a_node_that_is_down_is_left_alone(machine: Machine) -> None:
    machine.slurm.write_text("State=DOWN* Reason=Not responding [slurm@2026-11-21T03:00:00]\n")
    machine.efa(1, "1: DOWN")
    machine.look()
    assert machine.updates == []


def test_without_slurmctld_the_finding_is_in_the_log_and_the_job_still_goes_elsewhere(
    machine: Machine,
) -> None:
    machine.command("scontrol", "echo 'Unable to contact slurm controller' >&2; exit 1")
    machine.efa(1, "1: DOWN")
    assert machine.look("prolog") == 1
    (event,) = machine.events
    assert event["error"] == "slurmctld does not answer"


@pytest.mark.parametrize("text", [None, "", "[]", '{"slurm_name": "x"}', "{"])
def test_without_an_expectation_nothing_is_drained_and_the_log_says_so(
    machine: Machine, text: str | None
) -> None:
    if text is None:
        (machine.root / FILE.lstrip("/")).unlink()
    else:
        machine.write(FILE, text)
    with pytest.raises(NoExpectation):
        read_expected(machine.probe())
    assert machine.look("prolog") == 0
    assert machine.updates == []
    assert machine.events[0]["event"] == "refused"


def test_a_check_with_a_bug_empties_no_cluster(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look(probe: Probe, expected: Expected) -> list[object]:
        raise RuntimeError("a bug")

    monkeypatch.setattr("clusterwright_health.checks.efa.look", look)
    machine.efa(1, "1: DOWN")
    assert machine.look() == 0
    assert machine.updates == []
    assert [event["check"] for event in machine.events] == ["efa"]


def test_slurms_own_forms_of_a_node(machine: Machine) -> None:
    def state(text: str) -> tuple[frozenset[str], str]:
        machine.slurm.write_text(text + "\n")
        found = read_state(machine.probe(), NODE)
        assert found is not None
        return found.words, found.reason

    assert state("State=IDLE*+CLOUD+POWERED_DOWN") == ({"IDLE", "CLOUD", "POWERED_DOWN"}, "")
    assert state("State=MIXED+DRAIN ThreadsPerCore=2 Reason=a b c [root@2026-11-21T03:00:00]") == (
        {"MIXED", "DRAIN"},
        "a b c",
    )
    machine.slurm.write_text("slurm_load_node error: Invalid node name specified\n")
    assert read_state(machine.probe(), NODE) is None


def test_every_remedy_is_one_that_is_known() -> None:
    folder = Path(checks.__path__[0])
    named = set()
    for file in folder.glob("*.py"):
        text = file.read_text()
        named |= {word for word in REMEDIES if f'"{word}"' in text}
    assert named == {"reset", "reboot", "replace"}


def test_it_runs_as_a_program_and_says_how(lifecycle: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "clusterwright_health"],
        cwd=lifecycle,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert done.stdout == "usage: python3 -m clusterwright_health prolog|epilog|periodic\n"
