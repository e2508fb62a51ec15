"""What this node's own logs say: files of Slurm and of the node program, and the journal."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from clusterwright_common.probe import Probe

from clusterwright.diagnosis import log_files
from clusterwright.diagnosis.log_lines import Line, Place, evidence
from clusterwright.diagnosis.model import Evidence, NotRead
from clusterwright_state.commands.setting import ENTRY

DAEMONS = ("slurmctld", "slurmdbd", "slurmd", "sackd")
_SLURM_FOLDERS = ("/var/log/slurm", "/var/log")
_FOLDERS = (
    ("/var/log/clusterwright", ".jsonl", ("node", "health", "checkpoints", "spot", "preload")),
    # AWS ParallelCluster's own programs (cookbook, cloudwatch_agent_config.json).
    ("/var/log/parallelcluster", "", ("clustermgtd", "slurm_resume.log", "slurm_suspend.log")),
)
_UNITS = (*DAEMONS, "munge", "clusterwright-*")
_MOST_LINES = 20_000
_TIMEOUT_SECONDS = 30.0
_SUDO = f"sudo {ENTRY} diagnose"


class NodeLogs:
    """Reads what is newer than `since`; `found`, `read` and `unknown` have the result.

    `host` is this machine, `node` its name in Slurm, empty where it is none of Slurm's nodes.
    """

    def __init__(self, since: dt.datetime, host: str, node: str = "", root: str = "/") -> None:
        self._since, self._host, self._node = since, host, node
        self._root = Path(root)
        self.found: list[Evidence] = []
        self.read: list[str] = []
        self.unknown: list[NotRead] = []

    def of_files(self, configured: Sequence[str]) -> None:
        """The logs of daemons, `configured` by slurm.conf or at their usual places, and ours."""
        for path in self._paths(configured):
            try:
                for _, lines in log_files.texts((self._root / path.lstrip("/"),)):
                    self._keep(lines, path, Path(path).stem)
            except (log_files.LogFileError, OSError) as error:
                hint = "" if os.geteuid() == 0 else _SUDO
                self.unknown.append(NotRead(path, _reason(error), hint))

    def of_journal(self, probe: Probe) -> None:
        """The journal of the daemons' and our units, and of the kernel."""
        if os.geteuid() != 0:
            reason = "only root reads all of it"
            self.unknown.append(NotRead("the journal of this node", reason, _SUDO))
            return
        units = [f"--unit={unit}" for unit in _UNITS]
        for name, words in (("journal of units", units), ("journal of the kernel", ["--dmesg"])):
            answer = probe.run(
                [
                    *("env", "TZ=UTC", "journalctl", "--quiet", "--no-pager"),
                    *("--output=short-iso", f"--lines={_MOST_LINES}"),
                    f"--since=@{int(self._since.timestamp())}",
                    *words,
                ],
                _TIMEOUT_SECONDS,
            )
            if not answer.ok and answer.stderr.strip():
                self.unknown.append(NotRead(f"the {name} of this node", answer.summary))
                continue
            texts = answer.stdout.splitlines()
            lines = [Line(text, number) for number, text in enumerate(texts, start=1)]
            self._keep(lines, name, "journal")

    def _keep(self, lines: Sequence[Line], where: str, name: str) -> None:
        # The daemons of the cluster write about all nodes, the others about their own.
        node = "" if name in ("slurmctld", "slurmdbd") else self._node
        # As the agent names the streams of the same files.
        fields = {"stream_name": f"Clusterwright/{self._host}/{name}"}
        found = evidence(lines, Place(where, where, node=node, fields=fields))
        self.found += [one for one in found if one.time is None or one.time >= self._since]
        self.read.append(f"{where}: {len(lines)} lines")

    def _paths(self, configured: Sequence[str]) -> Iterator[str]:
        usual = [f"{folder}/{name}.log" for name in DAEMONS for folder in _SLURM_FOLDERS]
        ours = [f"{folder}/{name}{end}" for folder, end, names in _FOLDERS for name in names]
        for path in _once([*configured, *usual, *ours]):
            if (self._root / path.lstrip("/")).is_file():
                yield path


def _once(paths: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(path for path in paths if path.startswith("/")))


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or "it cannot be read"
    return str(error).rpartition(": ")[2]
