"""A fake p5.48xlarge whose commands print the forms of the real programs."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from clusterwright_acceptance import registry
from clusterwright_acceptance.expected import FILE, Expected, FileSystem, written
from clusterwright_acceptance.node_run import run_level
from clusterwright_acceptance.outcome import Outcome
from clusterwright_common.probe import Probe

NODE = "ip-10-1-0-21"
EXPECTED = Expected(
    node=NODE,
    instance_type="p5.48xlarge",
    kind="nvidia",
    lustre=(FileSystem("/fsx", "fs-0abc.fsx.us-east-1.amazonaws.com", "abcdef12", 38400, 500),),
    home_path="/home",
    group="workers",
)
MODEL = "NVIDIA H100 80GB HBM3"


class Node:
    """A node: files below `root`, commands in `bin`."""

    def __init__(self, folder: Path) -> None:
        self.root, self.bin = folder / "root", folder / "bin"
        self.bin.mkdir(parents=True)
        self.expected = EXPECTED
        self.expect()
        self.write("/proc/sys/kernel/random/boot_id", "boot-1\n")
        self.write("/proc/sys/kernel/osrelease", "6.8.0-1021-aws\n")
        self.write("/sys/devices/virtual/dmi/id/board_asset_tag", "i-0abc\n")
        self.write("/proc/meminfo", "MemTotal: 1 kB\nHugePages_Total:    5128\n")
        for number in range(2):
            self.write(f"/sys/devices/system/node/node{number}/cpulist", "0\n")
        for number in range(32):
            self.efa(number)
        for number in range(1, 9):
            self.disk(number)
        self.nvidia_smi()
        self.nvlinks()
        self.command("dmesg", "true")
        self.cpus(192, 96)
        self.memory(2014)
        self.findmnt(
            {"/fsx": ("10.1.0.9@tcp:/abcdef12", "lustre"), "/home": ("10.1.0.8:/", "nfs4")}
        )
        self.command("getent", "echo '10.1.0.9       STREAM'")
        self.command("chronyc", tracking("0.000012345"))
        self.command("bash", "echo unlimited")
        self.write("/fsx/.keep", "")
        self.write("/home/.keep", "")
        (self.root / "dev/shm").mkdir(parents=True)
        self.driver("570.133.20")
        self.write("/usr/lib64/libnccl.so.2.27.5", "")
        self.write("/opt/amazon/efa/bin/fi_info", "#!/bin/sh\necho libfabric: 2.1.0amzn3.0\n")
        (self.root / "opt/amazon/efa/bin/fi_info").chmod(0o755)
        self.software(nvidia_driver="570.133.20", nccl="2.27.5", libfabric="2.1.0amzn3.0")

    def expect(self, **changes: Any) -> None:
        self.expected = dataclasses.replace(self.expected, **changes)
        self.write(FILE, written(self.expected))

    def write(self, path: str, text: str) -> None:
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def command(self, name: str, body: str) -> None:
        file = self.bin / name
        file.write_text("#!/bin/sh\n" + body + "\n")
        file.chmod(0o755)

    def prints(self, name: str, text: str, exit_code: int = 0) -> None:
        self.command(name, f"cat <<'E'\n{text}\nE\nexit {exit_code}")

    def hangs(self, name: str) -> None:
        self.command(name, "exec sleep 60")

    def without(self, name: str) -> None:
        (self.bin / name).unlink()

    def efa(
        self, number: int, state: str = "4: ACTIVE", rate: str = "100 Gb/sec (4X EDR)"
    ) -> None:
        folder = f"/sys/class/infiniband/rdmap{number}s0"
        self.write(f"{folder}/device/vendor", "0x1d0f\n")
        self.write(f"{folder}/ports/1/state", f"{state}\n")
        self.write(f"{folder}/ports/1/rate", f"{rate}\n")
        self.write(f"{folder}/ports/1/hw_counters/tx_bytes", "0\n")

    def disk(self, number: int, gb: float = 3800.0) -> None:
        folder = f"/sys/class/nvme/nvme{number}"
        self.write(f"{folder}/model", "Amazon EC2 NVMe Instance Storage        \n")
        self.write(f"{folder}/nvme{number}n1/size", f"{int(gb * 1e9 / 512)}\n")

    def nvidia_smi(
        self, gpus: str = "", health: str = "", remapped: str = "", code: int = 0
    ) -> None:
        gpus = gpus or "\n".join(gpu_row(index) for index in range(8))
        health = health or "\n".join(health_row(index) for index in range(8))
        self.command(
            "nvidia-smi",
            f"case \"$1\" in --query-gpu=index,name*) cat <<'E'\n{gpus}\nE\nexit {code};;\n"
            f"--query-gpu*) cat <<'E'\n{health}\nE\n;;\n"
            f"--query-remapped*) cat <<'E'\n{remapped}\nE\n;;\n"
            f'nvlink) case "$2" in --status) cat {self.bin}/nvlink-status;;'
            f" *) cat {self.bin}/nvlink-errors;; esac;; esac",
        )

    def nvlinks(self, status: str = "", errors: str = "") -> None:
        (self.bin / "nvlink-status").write_text(status or nvlink_status())
        (self.bin / "nvlink-errors").write_text(errors or nvlink_errors())

    def cpus(self, cpus: int, cores: int) -> None:
        rows = "\n".join(f"{cpu},{cpu % cores},{cpu % cores * 2 // cores}" for cpu in range(cpus))
        self.prints("lscpu", f"# The following is the parsable format\n# CPU,Core,Socket\n{rows}")

    def memory(self, gib: float) -> None:
        self.prints(
            "free",
            "               total        used        free\n"
            f"Mem:  {int(gib * 2**30)} 1 1 1 1 1\nSwap:  0 0 0",
        )

    def findmnt(self, mounts: dict[str, tuple[str, str]]) -> None:
        cases = []
        for target, (source, kind) in mounts.items():
            row = {"target": target, "source": source, "fstype": kind}
            cases.append(f"{target}) echo '{json.dumps({'filesystems': [row]})}';;")
        root = json.dumps(
            {"filesystems": [{"target": "/", "source": "/dev/root", "fstype": "ext4"}]}
        )
        self.command("findmnt", f"case \"$3\" in {' '.join(cases)} *) echo '{root}';; esac")

    def driver(self, version: str) -> None:
        text = f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {version}  Release Build\n"
        self.write("/proc/driver/nvidia/version", text)

    def software(
        self,
        refused: str = "",
        components: tuple[str, ...] = ("nvidia_driver", "cuda"),
        **versions: str,
    ) -> None:
        """What the node program has recorded."""
        verdict = "refused" if refused else "works"
        rules = [{"rule": refused, "verdict": verdict, "components": list(components)}]
        self.write(
            "/var/lib/clusterwright/software.json",
            json.dumps({"schema_version": 1, "versions": versions, "rules": rules}),
        )

    def probe(self, seconds: float = 20.0) -> Probe:
        return Probe(str(self.root), seconds, f"{self.bin}:/usr/bin:/bin")

    def look(self, check: str, seconds: float = 20.0) -> Outcome:
        """The outcome of one check, with the exceptions that the runner handles."""
        found: Outcome = registry.check(check).load().look(self.probe(seconds), self.expected)
        return found

    def run(self, level: str = "quick", **options: Any) -> dict[str, Any]:
        return run_level(level, self.expected, self.probe, **options)


def gpu_row(index: int, model: str = MODEL, mib: int = 81559) -> str:
    return f"{index}, {model}, {mib}, 00000000:{0x53 + 16 * index:02X}:00.0"


def health_row(
    index: int, errors: str = "0", width: str = "16", heat: str = "31", slow: str = "Not Active"
) -> str:
    return f"{index}, {errors}, {width}, 16, {heat}, {slow}"


def nvlink_status(inactive: tuple[tuple[int, int], ...] = (), links: int = 18) -> str:
    lines = []
    for gpu in range(8):
        lines.append(f"GPU {gpu}: {MODEL} (UUID: GPU-0000-{gpu})")
        for link in range(links):
            state = "<inactive>" if (gpu, link) in inactive else "26.562 GB/s"
            lines.append(f"\t Link {link}: {state}")
    return "\n".join(lines) + "\n"


def nvlink_errors(bad: tuple[tuple[int, int, str, int], ...] = ()) -> str:
    lines = []
    for gpu in range(8):
        lines.append(f"GPU {gpu}: {MODEL} (UUID: GPU-0000-{gpu})")
        for link in range(18):
            for kind in ("Replay", "Recovery", "CRC"):
                number = sum(n for g, li, k, n in bad if (g, li, k) == (gpu, link, kind))
                lines.append(f"\t Link {link}: {kind} Errors: {number}")
    return "\n".join(lines) + "\n"


def tracking(offset: str, leap: str = "Normal") -> str:
    return (
        "cat <<'E'\nReference ID    : A9FEA97B (169.254.169.123)\n"
        f"System time     : {offset} seconds slow of NTP time\nLeap status     : {leap}\nE"
    )
