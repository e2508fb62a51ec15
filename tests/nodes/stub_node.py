"""A node with files and prepared answers to commands, for functions that need nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from clusterwright_node.errors import CommandError
from clusterwright_node.machine import Machine, Result


class StubMachine(Machine):
    """Files in memory; an answer is a text, or an exit code and a text, by the command line."""

    def __init__(
        self,
        answers: Mapping[str, str | tuple[int, str]] | None = None,
        files: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__("/nonexistent")
        self.answers = dict(answers or {})
        self.files = dict(files or {})
        self.modes: dict[str, int] = {}
        self.owners: dict[str, tuple[int, int]] = {}
        self.ran: list[str] = []

    def query(self, *argv: str, timeout_seconds: float = 20.0) -> Result:
        line = " ".join(argv)
        self.ran.append(line)
        for start, answer in self.answers.items():
            if line.startswith(start):
                code, text = answer if isinstance(answer, tuple) else (0, answer)
                return Result(argv, code, text if code == 0 else "", text if code else "")
        raise CommandError(f"no answer for `{line}`")

    def change(self, *argv: str, timeout_seconds: float = 300.0) -> Result:
        result = self.query(*argv)
        if not result.ok:
            raise CommandError(f"`{' '.join(argv)}` exited {result.returncode}: {result.said}")
        return result

    def has_command(self, name: str) -> bool:
        return any(line.split()[0] == name for line in self.answers)

    def read_text(self, path: str) -> str | None:
        return self.files.get(path)

    def write_text(self, path: str, text: str, mode: int = 0o644) -> None:
        self.files[path] = text
        self.modes[path] = mode

    def remove(self, path: str) -> None:
        self.files.pop(path, None)

    def exists(self, path: str) -> bool:
        return path in self.files

    def listing(self, path: str) -> list[str]:
        below = [name[len(path) + 1 :] for name in self.files if name.startswith(path + "/")]
        return sorted({name.partition("/")[0] for name in below})

    def size_of(self, path: str) -> int | None:
        return len(self.files[path].encode()) if path in self.files else None

    def sha256_of(self, path: str) -> str | None:
        text = self.files.get(path)
        return None if text is None else hashlib.sha256(text.encode()).hexdigest()

    def mode_of(self, path: str) -> int | None:
        return self.modes.get(path)

    def owner_of(self, path: str) -> tuple[int, int] | None:
        return self.owners.get(path, (0, 0)) if path in self.files else None

    def make_directory(self, path: str, mode: int = 0o755) -> None:
        self.modes.setdefault(path, mode)

    def set_mode(self, path: str, mode: int) -> None:
        self.modes[path] = mode

    def set_file_owner(self, path: str, uid: int, gid: int) -> None:
        self.owners[path] = (uid, gid)


def stub_node(
    answers: Mapping[str, str | tuple[int, str]] | None = None,
    files: Mapping[str, str] | None = None,
    **parts: Any,
) -> Any:
    """A node with this machine; `parts` are its other attributes, such as `group`."""
    return SimpleNamespace(machine=StubMachine(answers, files), **parts)
