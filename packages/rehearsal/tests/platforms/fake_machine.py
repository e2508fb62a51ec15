"""A machine without a kernel: its files, the commands that it ran, and their answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from clusterwright_rehearsal.nodes.machines import CommandResult


class FakeMachine:
    """Answers commands by their beginning; the others succeed silently."""

    def __init__(
        self,
        name: str = "ip-10-0-0-5",
        answers: Mapping[str, tuple[int, str]] | None = None,
        *,
        up: bool = True,
    ) -> None:
        self.name = name
        self.address = name.removeprefix("ip-").replace("-", ".")
        self.answers = dict(answers or {})
        self.up = up
        self.files: dict[str, str | bytes] = {}
        self.modes: dict[str, int] = {}
        self.commands: list[str] = []
        self.environment: dict[str, str] = {}
        self.events: list[str] = []
        self.leader = 7
        self.reboots = False
        self.image: Path | None = None
        self.kept: list[str] = []

    def write_files(self, files: Mapping[str, str | bytes], mode: int = 0o644) -> None:
        self.files.update(files)
        self.modes.update(dict.fromkeys(files, mode))

    def set_environment(self, variables: Mapping[str, str]) -> None:
        self.environment.update(variables)

    def is_up(self) -> bool:
        return self.up

    def run(self, command: str | Sequence[str], **_: Any) -> CommandResult:
        text = command if isinstance(command, str) else " ".join(command)
        self.commands.append(text)
        code, output = next(
            (answer for start, answer in self.answers.items() if text.startswith(start)), (0, "")
        )
        return CommandResult(code, output, "", 0.1)

    def boot(self) -> None:
        self.events.append("boot")
        self.reboots = False

    def reboot(self) -> None:
        self.events.append("reboot")
        self.reboots = False
        self.up = True

    def stop(self) -> None:
        self.events.append("stop")

    def crash(self) -> None:
        self.events.append("crash")
        self.up = False

    def wipe(self) -> None:
        self.events.append("wipe")

    def reinstall(self, image: Path | None, kept: Sequence[str]) -> None:
        self.events.append("reinstall")
        self.image = image
        self.kept = list(kept)

    def remove(self) -> None:
        self.events.append("remove")

    def wait_until_down(self) -> None:
        self.events.append("down")
