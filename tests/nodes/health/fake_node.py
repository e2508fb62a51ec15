"""A fake node: files, commands and Slurm."""

from __future__ import annotations

import json
from pathlib import Path

from clusterwright_common.probe import Probe
from clusterwright_health import program
from clusterwright_health.expected import FILE, Expected, read_expected, written

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


def rows(**changes: tuple[str, ...]) -> str:
    lines = HEALTHY.splitlines()
    for key, cells in changes.items():
        lines[int(key[3:])] = ", ".join(cells)
    return "\n".join(lines)
