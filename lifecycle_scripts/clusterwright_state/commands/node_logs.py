"""What this node's own logs say: files of Slurm and of the node program, and the journal."""

from __future__ import annotations

import datetime as dt
import glob
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from clusterwright_common.probe import Probe

from clusterwright.diagnosis import log_files
from clusterwright.diagnosis.log_lines import Line, Place, evidence, time_in
from clusterwright.diagnosis.model import Evidence, NotRead
from clusterwright_state.commands.setting import ENTRY

DAEMONS = ("slurmctld", "slurmdbd", "slurmd", "sackd")
_SLURM_FOLDERS = ("/var/log/slurm", "/var/log")
_FOLDERS = (
    ("/var/log/clusterwright", ".jsonl", ("node", "health", "checkpoints", "spot", "preload")),
    # AWS ParallelCluster's own programs (cookbook, cloudwatch_agent_config.json).
    ("/var/log/parallelcluster", "", ("clustermgtd", "slurm_resume.log", "slurm_suspend.log")),
)
_OUR_UNITS = ("etc/systemd/system", "clusterwright-*.service")
_MOST_LINES = 20_000
_TIMEOUT_SECONDS = 30.0


class NodeLogs:
    """Reads what is newer than `since`; `found`, `read` and `unknown` have the result.

    `host` is this machine, `node` its name in Slurm, empty where it is none of Slurm's nodes.
    """

    def __init__(self, since: dt.datetime, host: str, node: str = "", root: str = "/") -> None:
        self._since, self._host, self._node = since, host, node
        self._root = Path(root)
        self._hint = "" if os.geteuid() == 0 else f"sudo {ENTRY} diagnose"
        self.found: list[Evidence] = []
        self.read: list[str] = []
        self.unknown: list[NotRead] = []

    def of_files(self, configured: Sequence[str]) -> None:
        """The logs of daemons, `configured` by slurm.conf or at their usual places, and ours.

        They are opened without a limit of time: root configures them, and they are local.
        """
        closed: set[str] = set()
        for path in _paths(configured):
            file = self._root / path.lstrip("/")
            folder = str(Path(path).parent)
            try:
                about = os.stat(file)  # noqa: PTH116 - `is_file` has no reason
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                if folder not in closed:
                    self._not_read(f"the logs in {folder}", error.strerror or "it is not readable")
                closed.add(folder)
                continue
            if not stat.S_ISREG(about.st_mode):
                continue
            rotated = self._rotated(file)
            cut = "only its end is read" if about.st_size > log_files.MAXIMUM_BYTES else ""
            cut = cut or (f"they are in {rotated}" if rotated else "")
            try:
                for _, lines in log_files.texts((file,)):
                    self._keep(lines, path, Path(path).stem, path, cut)
            except log_files.LogFileError as error:
                self._not_read(path, error.reason)

    def of_journal(self, probe: Probe) -> None:
        """The journal of each of the daemons' and our units, and of the kernel.

        Each is a log of its own: that one unit is ready says nothing of another.
        """
        if os.geteuid() != 0:
            reason = "only root reads all of it"
            self.unknown.append(NotRead("the journal of this node", reason, self._hint))
            return
        folder, ours = _OUR_UNITS
        units = [*DAEMONS, "munge", *sorted(one.stem for one in (self._root / folder).glob(ours))]
        asked = [(unit, unit.replace("clusterwright-", ""), f"--unit={unit}") for unit in units]
        # Not `--dmesg`, which is of this boot only.
        for unit, name, words in (*asked, ("the kernel", "kernel", "_TRANSPORT=kernel")):
            answer = probe.run(
                [
                    *("env", "TZ=UTC", "journalctl", "--quiet", "--no-pager"),
                    *("--output=short-iso", f"--lines={_MOST_LINES}"),
                    f"--since=@{int(self._since.timestamp())}",
                    words,
                ],
                _TIMEOUT_SECONDS,
            )
            what = f"the journal of {unit}"
            if not answer.ok and answer.stderr.strip():
                self.unknown.append(NotRead(f"{what} of this node", answer.summary))
                continue
            texts = answer.stdout.splitlines()
            lines = [Line(text, number) for number, text in enumerate(texts, start=1)]
            cut = f"only the last {_MOST_LINES:,} lines are read"
            self._keep(
                lines, f"journal of {unit}", name, what, cut if len(lines) >= _MOST_LINES else ""
            )

    def _keep(self, lines: Sequence[Line], where: str, name: str, what: str, cut: str) -> None:
        """Judge lines; `cut` is why they may not be all, empty if they are."""
        newer = self._newer(lines)
        # As the agent names the streams of the same files.
        fields = {"stream_name": f"Clusterwright/{self._host}/{name}"}
        is_clusters = name in ("slurmctld", "slurmdbd")
        found = evidence(newer, Place(where, where, node=self._node, fields=fields))
        if is_clusters:
            # They write about all nodes, the other daemons about their own.
            found = tuple(replace(one, node="") for one in found)
        self.found += [one for one in found if one.time is None or one.time >= self._since]
        self.read.append(f"{where}: {len(lines)} lines")
        if cut and len(newer) == len(lines):
            self.unknown.append(NotRead(f"the older lines of {what}", cut))

    def _newer(self, lines: Sequence[Line]) -> Sequence[Line]:
        """The lines from the first that is not too old; all of them if none before it is."""
        has_old = False
        for index, line in enumerate(lines):
            time = time_in(line.text)
            if time is not None and time >= self._since:
                return lines[index:] if has_old else lines
            has_old = has_old or time is not None
        return () if has_old else lines

    def _rotated(self, file: Path) -> str:
        """The last file that logrotate made of a log, if it has lines that are new enough."""
        since = self._since.timestamp()
        try:
            names = file.parent.glob(f"{glob.escape(file.name)}[.-][0-9]*")
            found = [(one.stat().st_mtime, one.name) for one in names]
        except OSError:
            return ""
        made, name = max(found, default=(0.0, ""))
        return name if made >= since else ""

    def _not_read(self, what: str, reason: str) -> None:
        self.unknown.append(NotRead(what, reason, self._hint))


def _paths(configured: Sequence[str]) -> list[str]:
    usual = [f"{folder}/{name}.log" for name in DAEMONS for folder in _SLURM_FOLDERS]
    ours = [f"{folder}/{name}{end}" for folder, end, names in _FOLDERS for name in names]
    return _once([*configured, *usual, *ours])


def _once(paths: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(path for path in paths if path.startswith("/")))
