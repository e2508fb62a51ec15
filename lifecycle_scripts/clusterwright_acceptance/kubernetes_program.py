"""In a pod: run a level on nodes of Kubernetes, write the results to the nodes and the report.

Kept in ConfigMaps of the namespace: `run-ID` has the report of a run, compressed (a ConfigMap
holds 1 MiB), `baselines` the cluster's own figures, and `histories` the nodes' faults. The results
of single checks are on the nodes, in the journal of each: a run that was killed goes on there when
it is started again with the same name.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from clusterwright_common import records

from clusterwright_acceptance import (
    cluster_program,
    kubernetes_histories,
    kubernetes_hold,
    kubernetes_nodes,
)
from clusterwright_acceptance.kubernetes_api import CONFLICT, NOT_FOUND, Api, KubernetesError
from clusterwright_acceptance.kubernetes_launcher import KubernetesLauncher
from clusterwright_acceptance.kubernetes_maps import Maps
from clusterwright_acceptance.slurm_nodes import SlurmNode
from clusterwright_acceptance.verdicts import says_something

GROUP_LABEL = "clusterwright.dev/acceptance-group"
"""Of the CronJobs that are the templates of the groups' Jobs, and are suspended for ever."""
BASELINES = "baselines.json"
RUN_LABEL = "clusterwright.dev/acceptance-run"
KEPT_RUNS = 20
RECHECKS = "rechecks"
"""The ConfigMap with the times at which re-checks were tried."""
RECHECK_PRIORITY = "clusterwright-acceptance-recheck"
RECHECK_START_SECONDS = 20.0
"""A node that is busy for longer is tested another time."""
RETRY_SECONDS = 600.0
SHARE = 0.5
"""Of the accepted nodes at once."""
_TRIES = 5


@dataclass
class KubernetesRun:
    """Runs of one level. With `hold` the results change the taint of the nodes.

    With `recheck_seconds` accepted nodes are tested again whose last test is older.
    """

    api: Api
    namespace: str
    folder: Path
    level: str
    hold: bool
    say: Callable[[str], None] = print
    clock: Callable[[], float] = time.time
    recheck_seconds: Optional[float] = None
    _refused: list[KubernetesError] = field(default_factory=list, init=False)

    def held(self) -> Optional[dict[str, Any]]:
        """Hold and open nodes as `kubernetes_hold` does, and test those that are due; or None.

        Re-checks come last: nodes that are held wait for their test.

        Raises KubernetesError, OSError or ValueError, as `run`.
        """
        groups = _labels_of(self._templates())
        with self._refusals_at_the_end():
            return self._held(groups)

    def _held(self, groups: Mapping[str, Mapping[str, str]]) -> Optional[dict[str, Any]]:
        self._note(groups)
        for node in self._nodes() if self.hold else ():
            if kubernetes_nodes.group_of(node, groups) is not None:
                with self._refusal_of(kubernetes_nodes.name_of(node)):
                    kubernetes_hold.keep(self.api, node, self.say)
        due = [
            kubernetes_nodes.name_of(node)
            for node in (self._nodes() if self.hold else ())
            if kubernetes_nodes.group_of(node, groups) is not None
            and kubernetes_nodes.is_ready(node)
            and kubernetes_nodes.is_due(node, self.clock())
        ]
        stamp = time.strftime("%Y%m%dt%H%M%Sz", time.gmtime(self.clock()))
        if due:
            return self.run(f"held-{stamp}", due)
        again = self._rechecks(groups)
        return self.run(f"recheck-{stamp}", again, gives_way=True) if again else None

    def _rechecks(self, groups: Mapping[str, Mapping[str, str]]) -> list[str]:
        """Accepted nodes whose test is old, the oldest first, at most a share of all."""
        if self.recheck_seconds is None:
            return []
        now = self.clock()
        accepted = [
            node
            for node in self._nodes()
            if kubernetes_nodes.group_of(node, groups) is not None
            and kubernetes_nodes.is_accepted(node)
        ]
        tried = dict(self._maps.read(RECHECKS).get("tried", {}))
        ages = {
            kubernetes_nodes.name_of(node): now - float(kubernetes_nodes.recorded(node)["at"])
            for node in accepted
        }
        due = [
            name
            for name in sorted(ages, key=lambda name: (-ages[name], name))
            if ages[name] >= self.recheck_seconds
            and now - float(tried.get(name, 0)) >= RETRY_SECONDS
        ][: max(1, int(SHARE * len(accepted)))]
        if due:
            kept = {name: at for name, at in tried.items() if name in ages}
            self._maps.save(RECHECKS, {"tried": {**kept, **dict.fromkeys(due, int(now))}}, {})
        return due

    def run(
        self,
        run: str,
        names: Sequence[str] = (),
        *,
        gives_way: bool = False,
    ) -> dict[str, Any]:
        """Test the nodes of the names, or all; the report.

        A run that `gives_way` has pods that Kubernetes ends for those of users; then it concludes
        nothing about any node.

        Raises
        ------
        KubernetesError
            The API server refused a request, or does not answer.
        OSError, ValueError
            A file cannot be read or written, or a template is invalid.
        """
        if not run:
            raise ValueError("--run names no run")
        with self._refusals_at_the_end():
            return self._run(run, names, gives_way)

    def _run(self, run: str, names: Sequence[str], gives_way: bool) -> dict[str, Any]:
        templates = self._templates()
        known = self._nodes()
        nodes = kubernetes_nodes.listed(known, _labels_of(templates), names)
        self._load_baselines()
        kubernetes_histories.prepare(self._maps, self.folder)
        stops: list[str] = []
        report = cluster_program.run_cluster(
            cluster_program.Wanted(run, self.level, {}),
            nodes,
            lambda group: self._launcher(templates[group], stops.append if gives_way else None),
            self.folder,
            clock=self.clock,
            say=self.say,
            stopped=lambda: f"stopped: {stops[0]}" if stops else None,
        )
        self._maps.save(f"run-{run.lower()}", report, {RUN_LABEL: "true"})
        self._save_baselines()
        for one in report["nodes"]:
            with self._refusal_of(str(one["name"])):
                self._write(one, run, nodes)
        tests = {
            str(one["name"]): {**one, "run": run, "level": self.level}
            for one in report["nodes"]
            if says_something(one)
        }
        self._note(_labels_of(templates), tests)
        self._remove_old_runs()
        return report

    @contextlib.contextmanager
    def _refusal_of(self, name: str) -> Iterator[None]:
        """A refused change of a node, as by an admission webhook, keeps no other from its own."""
        try:
            yield
        except KubernetesError as error:
            if not error.code:
                raise
            self.say(f"{name}: {error}")
            self._refused.append(error)

    @contextlib.contextmanager
    def _refusals_at_the_end(self) -> Iterator[None]:
        """Raise the first refusal when all else is done."""
        yield
        if self._refused:
            first, self._refused = self._refused[0], []
            raise first

    def _launcher(
        self, template: Mapping[str, Any], interrupted: Optional[Callable[[str], None]]
    ) -> KubernetesLauncher:
        if interrupted is None:
            return KubernetesLauncher(self.api, self.namespace, template)
        return KubernetesLauncher(
            self.api,
            self.namespace,
            template,
            priority_class=RECHECK_PRIORITY,
            start_seconds=RECHECK_START_SECONDS,
            interrupted=interrupted,
        )

    def _write(self, result: dict[str, Any], run: str, nodes: Sequence[SlurmNode]) -> None:
        """Write a result to its node, which others may change meanwhile."""
        name = str(result["name"])
        if not any(node.name == name and node.partition for node in nodes):
            return
        for _ in range(_TRIES):
            try:
                node = self.api.get(f"/api/v1/nodes/{name}")
                patch = kubernetes_nodes.result_patch(
                    node, result, self.level, run, self.clock(), hold=self.hold
                )
                if patch is not None:
                    self.api.patch(f"/api/v1/nodes/{name}", patch)
            except KubernetesError as error:
                if error.code == NOT_FOUND:
                    return
                if error.code != CONFLICT:
                    raise
            else:
                return
        self.say(f"{name}: other changes prevented its result; the next run writes it")

    def _nodes(self) -> list[dict[str, Any]]:
        return list(self.api.get("/api/v1/nodes").get("items") or ())

    def _templates(self) -> dict[str, dict[str, Any]]:
        """The specification of a Job by group."""
        path = f"/apis/batch/v1/namespaces/{self.namespace}/cronjobs?labelSelector={GROUP_LABEL}"
        found = {}
        for one in self.api.get(path).get("items") or ():
            group = str(one["metadata"]["labels"][GROUP_LABEL])
            found[group] = dict(one["spec"]["jobTemplate"]["spec"])
        return found

    @property
    def _maps(self) -> Maps:
        return Maps(self.api, self.namespace)

    def _load_baselines(self) -> None:
        content = self._maps.read("baselines")
        if content:
            records.write(self.folder / BASELINES, content)

    def _save_baselines(self) -> None:
        self._maps.save("baselines", records.read(self.folder / BASELINES), {})

    def _note(
        self,
        groups: Mapping[str, Mapping[str, str]],
        tests: Optional[Mapping[str, Mapping[str, Any]]] = None,
    ) -> None:
        """Keep what happened to the nodes, and write it to those of which it changed."""
        nodes = [
            node for node in self._nodes() if kubernetes_nodes.group_of(node, groups) is not None
        ]
        now = self.clock()
        with self._refusal_of("the histories"):
            book = kubernetes_histories.note(self._maps, nodes, tests or {}, now)
            for name, patch in kubernetes_histories.patches(book, nodes, now):
                with self._refusal_of(name):
                    self._annotate(name, patch)

    def _annotate(self, name: str, patch: dict[str, Any]) -> None:
        try:
            self.api.patch(f"/api/v1/nodes/{name}", patch)
        except KubernetesError as error:
            if error.code != NOT_FOUND:
                raise

    def _remove_old_runs(self) -> None:
        for name in self._maps.names(RUN_LABEL)[:-KEPT_RUNS]:
            self._maps.delete(name)


def _labels_of(templates: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """The labels of the groups' nodes."""
    return {
        group: dict(template["template"]["spec"]["nodeSelector"])
        for group, template in templates.items()
    }
