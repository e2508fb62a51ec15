"""Pairs of nodes: output, verdicts, rounds, and the script of a pair with a stub."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.job_templates.node import command
from tests.job_templates.programs.loading import program
from tools.lint.files import ROOT

efa = program("efa_pairs", ROOT / "lifecycle_scripts/clusterwright_acceptance")
pairs = efa.pairs

TABLE = """bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec
64      10      =10      1.2k        0.00s      1.55      41.20       0.02
256     10      =10      5k          0.00s     25.91       9.88       0.10
1m      10      =10      20m         0.02s   {value}     994.45       0.00
"""
_PINGPONG = """#!/bin/bash
port=
while (($#)); do
  case "$1" in
    -B) port=$2; touch "@@/listens-$port"; sleep 1; exit 0 ;;
    -P) port=$2; shift ;;
    -d) device=$2; shift ;;
  esac
  shift
done
[[ -e "@@/listens-$port" ]] || exit 1
[[ "$device" == "$(cat @@/bad 2>/dev/null)-rdm" ]] && exit 5
cat "@@/table"
"""


def output(**values: str) -> str:
    return "".join(
        f"INTERFACE {name}\n{TABLE.format(value=value)}" for name, value in values.items()
    )


def test_the_largest_message_counts() -> None:
    text = "INTERFACE rdmap1\nfi_getinfo: -61\n" + output(rdmap1="1054.43", rdmap2="990.1")
    assert efa.bandwidths(text) == {"rdmap1": 1054.43, "rdmap2": 990.1}
    assert efa.bandwidths("INTERFACE rdmap1\nno table") == {}


def test_verdicts() -> None:
    good = efa.judged("a", "b", 0, output(x="10.5", y="20.0"))
    assert (good.verdict, good.value) == (pairs.GOOD, 10.5)
    bad = efa.judged("a", "b", 1, output(x="10.5") + "INTERFACE y\nFAILED y 5\n")
    assert (bad.verdict, bad.reason) == (pairs.BAD, "y fails, exit code 5")
    hung = efa.judged("a", "b", 1, "INTERFACE y\nFAILED y 124\n")
    assert (hung.verdict, hung.reason) == (pairs.HUNG, "y hangs")
    assert efa.judged("a", "b", None, "").verdict == pairs.HUNG
    nothing = efa.judged("a", "b", 0, "")
    assert (nothing.verdict, nothing.reason) == (pairs.BAD, "no output")
    with pytest.raises(efa.MissingError):
        efa.judged("a", "b", 92, "")


def names_of(bad: set[str], count: int) -> tuple[dict[str, Any], int]:
    nodes = [f"n{number}" for number in range(count)]

    def run(first: str, second: str, _number: int) -> Any:
        verdict = pairs.BAD if {first, second} & bad else pairs.GOOD
        return pairs.Test(first, second, verdict, 1.0 if verdict == pairs.GOOD else None)

    found: tuple[dict[str, Any], int] = efa.report(nodes, efa.rounds(nodes, run, lambda _: None))
    return found


@pytest.mark.parametrize("count", [2, 3, 8, 9])
def test_good_clusters(count: int) -> None:
    document, code = names_of(set(), count)
    assert (code, document["suspects"], document["unknown"]) == (0, [], [])
    assert len(document["good"]) == count


def test_a_bad_node_is_named() -> None:
    document, code = names_of({"n4"}, 8)
    assert code == 1
    assert [one["names"] for one in document["suspects"]] == [["n4"]]
    assert "n4" not in document["good"]


def test_two_nodes_that_are_bad_together_are_unknown() -> None:
    document, code = names_of({"n1"}, 2)
    assert (code, document["unknown"]) == (1, ["n0", "n1"])


def test_a_missing_program_ends_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command(tmp_path, "srun", "#!/bin/bash\nexit 92\n")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    report = tmp_path / "report.json"
    assert efa.main([f"--report={report}", "--arguments=", "a", "b"]) == 92
    assert "fi_pingpong is missing on a or b" in capsys.readouterr().out
    assert not report.exists()


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Two EFA interfaces and one of NVLink's fabric, and a stub of fi_pingpong."""
    for name, vendor in (("mlx5_0", "0x15b3"), ("rdmap1", "0x1d0f"), ("rdmap2", "0x1d0f")):
        file = tmp_path / "infiniband" / name / "device" / "vendor"
        file.parent.mkdir(parents=True)
        file.write_text(f"{vendor}\n")
    (tmp_path / "table").write_text(TABLE.format(value="1054.43"))
    command(tmp_path, "fi_pingpong", _PINGPONG)
    return tmp_path


def pair(machine: Path) -> tuple[int, str]:
    """Run the script of both nodes; the exit code and the output of the client."""
    words = [
        "bash", "-c", efa.SCRIPT, "bash", f"{machine}/fi_pingpong", "5", "node-1", "47600",
        f"{machine}/infiniband", "-e", "rdm", "-p", "efa", "-d", "DEVICE-rdm",
    ]  # fmt: skip
    environment = {"PATH": f"{machine}:/usr/bin:/bin"}
    with subprocess.Popen(words, env=environment | {"SLURMD_NODENAME": "node-1"}) as server:
        client = subprocess.run(
            words,
            env=environment | {"SLURMD_NODENAME": "node-2"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert server.wait(timeout=30) == 0
    return client.returncode, client.stdout


def test_the_script_tests_every_efa_interface(machine: Path) -> None:
    code, text = pair(machine)
    assert code == 0
    assert set(efa.bandwidths(text)) == {"rdmap1", "rdmap2"}
    assert efa.judged("node-1", "node-2", code, text).value == 1054.43


def test_the_script_names_the_interface_that_fails(machine: Path) -> None:
    (machine / "bad").write_text("rdmap2")
    code, text = pair(machine)
    assert efa.judged("node-1", "node-2", code, text).reason == "rdmap2 fails, exit code 5"


def test_a_node_without_interfaces_or_program(machine: Path) -> None:
    (machine / "fi_pingpong").chmod(0o644)
    assert pair_code(machine, f"{machine}/infiniband") == 92
    (machine / "fi_pingpong").chmod(0o755)
    assert pair_code(machine, f"{machine}/none") == 1


def pair_code(machine: Path, folder: str) -> int:
    words = ["bash", "-c", efa.SCRIPT, "bash", f"{machine}/fi_pingpong", "1", "a", "1", folder]
    return subprocess.run(
        words, env={"PATH": "/usr/bin:/bin", "SLURMD_NODENAME": "b"}, check=False
    ).returncode
