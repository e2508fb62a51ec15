"""`clusterwright accept` on the node that tests the others: a request to its service, and the
report of the run.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable, Optional

from clusterwright_common import acceptance_results, records

from clusterwright_state import acceptance, requests
from clusterwright_state.commands.setting import ENTRY, Setting, Stop
from clusterwright_state.commands.view import View, head, unknown, without_platform

POLL_SECONDS = 2.0
ANSWER_SECONDS = 300.0
"""How long the service may take to answer; it looks every 10 or 30 seconds."""
_CHECK = ("id", "verdict", "value", "floor", "unit", "source", "reason", "action")
_NODE = ("name", "verdict", "checks", "action", "reason", "group", "instance_id", "instance_type")
_BASELINE = (
    "check", "instance_type", "median", "deviation", "floor", "unit", "nodes", "versions", "date",
    "size_mib", "node_count",
)  # fmt: skip
_STATUSES = ("running", "ended", "failed")
_NEEDED = {
    "nodes": ("name", "verdict"),
    "cluster_checks": ("id", "verdict"),
    "suspects": ("kind", "names", "evidence"),
    "baseline": ("check",),
}
_DEFAULTS: dict[str, Any] = {
    "reason": "",
    "action": "none",
    "group": "",
    "versions": {},
    "node_count": 1,
}


class Acceptance:
    """One call of the command. `folder` is that of the acceptance program, `local` that of the
    requests of this node.
    """

    def __init__(
        self,
        view: View,
        level: Optional[str],
        nodes: Optional[str],
        folder: str = acceptance.FOLDER,
        local: str = requests.LOCAL,
    ) -> None:
        self._setting: Setting = view.setting
        self._folder, self._local = Path(folder), Path(local)
        self._view = view
        self.level = level or view.setting.level
        self._nodes = _chosen(view, nodes)

    def planned(self) -> dict[str, Any]:
        """The document of a dry run."""
        missing = list(self._view.unknown())
        return self._document("planned", None, self._plan(), {}, missing)

    def run(
        self, run: Optional[str], wait_seconds: Optional[float], tell: Callable[[str], None]
    ) -> dict[str, Any]:
        """Start a run, or follow one that was started before; wait for its end."""
        plan = [] if run else self._plan()
        if not self._setting.has_service:
            part = unknown("the run", "the cluster has no service that tests nodes")
            return self._document("refused", run, plan, {}, [part])
        if not self._setting.administers:
            part = unknown(
                "the run",
                f"{self._setting.administrator} tests the nodes, and this node is another",
                f"on {self._setting.administrator}: sudo {ENTRY} accept",
            )
            return self._document("refused", run, plan, {}, [part])
        if run is None:
            run = _new_id()
            for line in self._plan_sentences(plan):
                tell(line)
            refused = self._start(run, tell)
            if refused is not None:
                return self._document("refused", run, plan, {}, refused)
        limit = wait_seconds
        if limit is None:
            limit = 2.0 * self._setting.level_limit_seconds[self.level] + 600.0
        report = self._followed(run, limit, tell)
        if report and not _is_valid(report):
            part = unknown(f"the run {run}", f"its report {self._report_of(run)} is not valid")
            return self._document("unknown", run, plan, {}, [part])
        if report.get("status") not in ("ended", "failed"):
            reason = (
                f"it has not ended after {limit:.0f} s" if report else "there is no report of it"
            )
            part = unknown(f"the run {run}", reason, f"clusterwright accept --run {run}")
            return self._document("running", run, plan, {}, [part])
        parts = []
        if report["status"] == "failed":
            parts.append(unknown(f"the run {run}", str(report.get("reason", ""))))
        self.level = str(report.get("level") or self.level)
        return self._document(str(report["status"]), run, plan, report, parts)

    def _start(self, run: str, tell: Callable[[str], None]) -> Optional[list[dict[str, Any]]]:
        """Leave a request for the service; the parts of a refusal."""
        now = time.time()
        times = {"created_at": now, "expires_at": now + ANSWER_SECONDS}
        for folder in ("requests", "answers"):
            (self._local / folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        records.write(
            self._local / "requests" / f"{run}.json",
            {
                "schema_version": requests.SCHEMA_VERSION,
                "id": run,
                "verb": requests.ACCEPT,
                "nodes": list(self._nodes),
                "because": f"acceptance, level {self.level}",
                "by": "root",
                "level": self.level,
                **{
                    key: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
                    for key, at in times.items()
                },
            },
        )
        tell(f"run {run}: waiting for the service")
        path = self._local / "answers" / f"{run}.json"
        ends = time.monotonic() + ANSWER_SECONDS
        while not path.exists():
            if time.monotonic() >= ends:
                hint = "systemctl status clusterwright-state"
                return [unknown("the run", "the service did not answer", hint)]
            time.sleep(POLL_SECONDS)
        answer = records.read(path)
        path.unlink(missing_ok=True)
        return [
            unknown(row["node"] or "the request", f"it was refused: {row['reason']}")
            for row in answer.get("refused", ())
        ] or None

    def _followed(self, run: str, limit: float, tell: Callable[[str], None]) -> dict[str, Any]:
        """The last report, empty without one; one that is not valid ends the wait."""
        path = self._report_of(run)
        began = told = time.monotonic()
        while True:
            is_there = path.exists()
            report = records.read(path, records.LARGEST_REPORT_BYTES)
            if is_there and not _is_valid(report):
                return {**report, "status": None}
            now = time.monotonic()
            if report.get("status") in ("ended", "failed") or now - began >= limit:
                return report
            if now - told >= 30.0:
                tell(f"run {run}: {now - began:.0f} s")
                told = now
            time.sleep(min(POLL_SECONDS, limit))

    def _report_of(self, run: str) -> Path:
        return self._folder / "runs" / f"{run}.json"

    def _plan_sentences(self, plan: Sequence[dict[str, Any]]) -> list[str]:
        """What a run that is about to start does and takes, as the command elsewhere says it."""
        nodes = sum(group["nodes"] for group in plan)
        which = "nodes" if not plan else f"{nodes} {'node' if nodes == 1 else 'nodes'}"
        minutes = sum(group["nodes"] * group["seconds"] for group in plan) / 60
        return [
            f"Tests {which} at level {self.level} with exclusive jobs of Slurm; running jobs are "
            "not interrupted.",
            f"Planned: {f'{minutes:,.1f}' if plan else 'unknown'} node-minutes, cost unknown on a "
            "node.",
        ]

    def _plan(self) -> list[dict[str, Any]]:
        chosen = set(self._nodes)
        found = []
        for group in self._setting.groups:
            count = sum(
                node["group"] == group["name"] and (not chosen or node["name"] in chosen)
                for node in self._view.compute_nodes
            )
            if group["role"] == "compute" and count:
                found.append(
                    {
                        "group": group["name"],
                        "instance_type": group["instance_type"],
                        "nodes": count,
                        "seconds": group["planned_seconds"][self.level],
                        "cost_usd": None,
                        "unpriced": "a node has no prices",
                    }
                )
        return found

    def _document(
        self,
        status: str,
        run: Optional[str],
        plan: Sequence[dict[str, Any]],
        report: dict[str, Any],
        parts: Sequence[dict[str, Any]],
    ) -> dict[str, Any]:
        nodes = [
            {
                **_only(node, _NODE),
                "checks": [_only(one, _CHECK) for one in node.get("checks", ())],
            }
            for node in report.get("nodes", ())
        ]
        checks = [
            _only(one, (*_CHECK, "group", "nodes", "size_mib", "mount_path"))
            for one in report.get("cluster_checks", ())
        ]
        suspects = [
            _only(one, ("kind", "names", "evidence")) for one in report.get("suspects", ())
        ]
        if status == "planned":
            code = 2 if parts else 0
        else:
            code = acceptance_results.exit_code(nodes, checks, suspects)
            code = 2 if not code and (status != "ended" or parts) else code
        return {
            **without_platform(head(self._setting, "accept", code)),
            "level": self.level,
            "status": status,
            "run": run,
            "nodes": nodes,
            "suspects": suspects,
            "cluster_checks": checks,
            "baseline": [_only(one, _BASELINE) for one in report.get("baseline", ())],
            "cost_usd": None,
            "plan": list(plan),
            "unknown": list(parts),
        }


def _chosen(view: View, nodes: Optional[str]) -> tuple[str, ...]:
    """Slurm's names; none for all nodes. Raises Stop."""
    if nodes is None:
        return ()
    wanted = [name.strip() for name in nodes.split(",") if name.strip()]
    if not wanted:
        raise Stop("--nodes names no node", "leave it out to test all nodes")
    if view.state["nodes"] is None:
        raise Stop("slurmctld does not answer: nothing was started", exit_code=2)
    found = []
    for name in wanted:
        match = [
            str(node["name"])
            for node in view.compute_nodes
            if name in (node["name"], node["instance_id"])
        ]
        if not match:
            raise Stop(
                f"--nodes {name}: the cluster has no compute node of this name",
                "`clusterwright status` lists the nodes",
            )
        found += match
    return tuple(dict.fromkeys(found))


def _is_valid(report: dict[str, Any]) -> bool:
    if report.get("status") not in _STATUSES:
        return False
    for part, keys in _NEEDED.items():
        rows = report.get(part, [])
        if not _are_rows(rows, keys):
            return False
    return all(_are_rows(node.get("checks", []), ("id",)) for node in report.get("nodes", []))


def _are_rows(rows: Any, keys: Sequence[str]) -> bool:
    return isinstance(rows, list) and all(
        isinstance(row, dict) and all(key in row for key in keys) for row in rows
    )


def _new_id() -> str:
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()) + f"-{secrets.token_hex(6)}"


def _only(row: dict[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    return {key: row.get(key, _DEFAULTS.get(key)) for key in keys}
