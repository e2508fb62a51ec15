"""The controller's service: publish the state when it changed, carry out requests."""

from __future__ import annotations

import argparse
import contextlib
import datetime as dt
import json
import os
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from clusterwright_common import installation, records
from clusterwright_common.probe import Probe

from clusterwright_state import (
    acceptance,
    boot_tests,
    copies,
    histories,
    hold,
    rechecks,
    requests,
    slurm_view,
    spares,
)
from clusterwright_state.bucket import Bucket, BucketError, parsed
from clusterwright_state.look_pace import LookPace

SCHEMA_VERSION = 1
KEY = "state/scheduler.json"
HANDLED = "/var/lib/clusterwright/requests.json"
LOG = "/var/log/clusterwright/state.jsonl"
AT_LEAST_SECONDS = 300.0
"""An unchanged state is published again after this time; readers treat older ones as stale."""
COPIES_SECONDS = 3600.0
"""How long faults wait for the copies: until they are read, a fault that the lost controller has
counted would be counted again."""
_OURS = (hold.RESERVATION, spares.PREFIX)
_DEADLINE_SECONDS = 120.0
_MOST_HANDLED = 1000


def main(argv: Sequence[str]) -> int:
    options = _parser().parse_args(argv)
    service = Service(options)
    service.guarded_turn()
    if options.once:
        return 0
    if options.hold is not None:
        # After the first turn, which reads back what a lost controller has tested.
        threading.Thread(target=service.keep_holding, name="hold", daemon=True).start()
    while True:
        time.sleep(options.every_seconds)
        service.guarded_turn()


def reader(environment: str, region: str, resource_config: str, folder: str) -> Service:
    """A service that only reads `state`, for the commands; `folder` is that of acceptance."""
    words = ["--bucket=", f"--environment={environment}", f"--region={region}"]
    words += [f"--resource-config={resource_config}", f"--acceptance={folder}"]
    return Service(_parser().parse_args(words))


class Service:
    """One controller. `turn` publishes what changed and carries out what was requested."""

    def __init__(self, options: argparse.Namespace, bucket: Optional[Bucket] = None) -> None:
        self._options = options
        self._bucket = bucket or Bucket(options.bucket, options.region)
        self._runs = acceptance.Runs(options.acceptance)
        self._published: Optional[str] = None
        self._published_at = -AT_LEAST_SECONDS
        self._silent = False
        self._is_first = True
        self._began = time.monotonic()
        self._restore_error = ""
        self._said_uncopied = False
        self._hold = hold.Hold(options.acceptance, options.hold, self._runs)
        self._hold_changes: list[dict[str, Any]] = []
        self._histories = histories.Histories(options.acceptance)
        self._copies = copies.Copies(options.acceptance)
        self._rechecks = None
        if options.recheck is not None:
            level, hours = options.recheck
            self._rechecks = rechecks.Rechecks(options.acceptance, level, hours, self._runs)
        self._spare_changes: list[dict[str, Any]] = []
        self._groups: dict[str, Optional[str]] = {}
        # The hold has its own thread, because a turn waits for S3: only one starts runs.
        self._starting = threading.RLock()

    def guarded_turn(self) -> None:
        """A turn that never raises: one bad answer must not end the service."""
        try:
            self.turn()
        except Exception:  # noqa: BLE001
            self.tell("bug", trace=traceback.format_exc())

    def keep_holding(self) -> None:
        """Hold nodes that are new to Slurm beside the turns; does not return."""
        pace, said = LookPace(), ""
        while True:
            pace.wait()
            trace = ""
            try:
                self._keep_hold()
            except Exception:  # noqa: BLE001 - as for a turn
                trace = traceback.format_exc()
            if trace and trace != said:  # once, not every few seconds
                self.tell("bug", trace=trace)
            said = trace

    def turn(self) -> None:
        if self._is_first:
            # Before nodes count as never tested.
            self._is_first = False
            with contextlib.suppress(BucketError):
                self._restore()
        self._keep_boot_tests()
        # First, so that a spare that is not accepted is no spare.
        self._keep_hold()
        self._keep_spares()
        self._local_requests()
        self._keep_runs()
        try:
            self._send_answers()
            self._requests()
            self._publish()
            self._keep_copies()
            self._silent = False
        except BucketError as error:
            if not self._silent:  # once, not every few seconds
                self.tell("unreachable", error=str(error))
            self._silent = True
        # Last: it must not delay an operator's request.
        self._watch_nodes()

    def state(self) -> dict[str, Any]:
        """The state without the time at which it was read."""
        options, probe = self._options, Probe(deadline_seconds=_DEADLINE_SECONDS)
        reservations = slurm_view.reservations(probe)
        resources = probe.read(options.resource_config)
        instances = slurm_view.instances_by_address(resources)
        network = slurm_view.network_by_address(resources)
        nodes = slurm_view.nodes(probe, instances, _reserved(reservations), network)
        jobs = slurm_view.jobs(probe) or {"jobs": None, "running": None, "pending": None}
        now = time.time()
        states = self._runs.states(nodes, self._hold.announced())
        return {
            "schema_version": SCHEMA_VERSION,
            "environment": options.environment,
            "controller": os.uname().nodename,
            "slurm_version": slurm_view.version(probe),
            "daemons": slurm_view.daemons(probe),
            "nodes": nodes,
            **jobs,
            "ended": slurm_view.ended(probe),
            "partitions": slurm_view.partitions(probe),
            "reservations": reservations,
            "acceptance": self._histories.advise_states(nodes or (), states, now),
            "history": self._histories.published(nodes or (), states, now),
            "configuration": {
                "inputs_sha256": options.inputs_sha256,
                "slurm_conf": slurm_view.running_configuration(probe),
                "program": _program(),
            },
        }

    def _keep_hold(self) -> None:
        if self._options.hold is None:
            return
        with self._starting:
            self._look_at_hold()

    def _look_at_hold(self) -> None:
        options, probe = self._options, Probe(deadline_seconds=_DEADLINE_SECONDS)
        reservations = slurm_view.reservations(probe)
        instances = slurm_view.instances_by_address(probe.read(options.resource_config))
        nodes = slurm_view.nodes(probe, instances, _reserved(reservations))
        # Without these answers nothing is opened.
        if reservations is None or nodes is None:
            return
        try:
            changes = self._hold.keep(probe, nodes, reservations)
        except OSError as error:
            changes = [{"error": str(error)}]
        if changes != self._hold_changes:  # an error is logged once, not every few seconds
            for change in changes:
                self.tell("hold", **change)
        self._hold_changes = changes

    def _restore(self) -> None:
        """Read back what a lost controller knew. Raises BucketError."""
        with self._starting:
            self._read_back()

    def _read_back(self) -> None:
        # A run that began without the records would replace them at its end.
        if self._copies.is_restored or self._runs.is_running:
            return
        try:
            for one in self._copies.restore(self._bucket):
                self.tell("copy", **one)
        except OSError as error:
            self.tell("copy", error=str(error))
        except BucketError:
            raise
        except Exception:  # noqa: BLE001 - the turn goes on without the copies
            trace = traceback.format_exc()
            if trace != self._restore_error:  # once, not every few seconds
                self.tell("bug", trace=trace)
            self._restore_error = trace
        self._histories = histories.Histories(self._options.acceptance)

    def _keep_copies(self) -> None:
        """Publish acceptance's results and records. Raises BucketError."""
        error: Optional[BucketError] = None
        try:
            self._restore()
        except BucketError as found:
            error = found
        # Results are published all the same, and replace nothing that was not read back.
        self._runs.publish(self._bucket, nodes=self._copies.is_restored)
        if error is not None:
            raise error
        if self._copies.is_restored:
            self._copies.publish(self._bucket)

    def _keep_runs(self) -> None:
        try:
            with self._starting:
                self._runs.keep_going()
        except OSError as error:
            self.tell("run", error=str(error))

    def _keep_boot_tests(self) -> None:
        if not self._options.boot_tests:
            return
        try:
            found = boot_tests.keep(
                Probe(deadline_seconds=_DEADLINE_SECONDS), self._options.acceptance
            )
        except OSError as error:
            self.tell("boot-tests", error=str(error))
            return
        if found:
            self.tell("boot-tests", nodes=found)

    def _watch_nodes(self) -> None:
        """Keep the nodes' histories, and test idle nodes again."""
        probe, now = Probe(deadline_seconds=_DEADLINE_SECONDS), time.time()
        reservations = slurm_view.reservations(probe)
        instances = slurm_view.instances_by_address(probe.read(self._options.resource_config))
        nodes = slurm_view.nodes(probe, instances, _reserved(reservations))
        if nodes is None:
            return
        try:
            if self._may_count():
                self._histories.note(nodes, now)
            for change in self._histories.mark(probe, nodes, now):
                self.tell("history", **change)
            if self._rechecks is not None and reservations is not None:
                states = self._runs.states(nodes, self._hold.announced())
                ours = {
                    name: each
                    for name, each in _reserved(reservations).items()
                    if each.startswith(spares.PREFIX)
                }
                with self._starting:
                    found = self._rechecks.start(probe, nodes, states, ours)
                if found:
                    self.tell("recheck", nodes=found)
        except Exception:  # noqa: BLE001 - the state is published all the same
            self.tell("bug", trace=traceback.format_exc())

    def _may_count(self) -> bool:
        """Whether the histories have what a lost controller counted, or need not wait for it."""
        if self._copies.is_restored or not self._options.bucket:
            return True
        waited = time.monotonic() - self._began
        if waited < COPIES_SECONDS:
            return False
        if not self._said_uncopied:
            why = f"the copies were not read for {waited:.0f} s: faults that an earlier controller"
            self.tell("copy", error=f"{why} has seen may be counted twice")
        self._said_uncopied = True
        return True

    def _keep_spares(self) -> None:
        options, probe = self._options, Probe(deadline_seconds=_DEADLINE_SECONDS)
        if not options.keep_spares:
            return
        reservations = slurm_view.reservations(probe)
        instances = slurm_view.instances_by_address(probe.read(options.resource_config))
        nodes = slurm_view.nodes(probe, instances, _reserved(reservations))
        # Without these answers nothing is released: jobs would take the spares.
        if reservations is None or nodes is None or not instances:
            return
        for node in nodes:
            # HyperPod's list may lack the instance of a node that is being replaced.
            node["group"] = node["group"] or self._groups.get(node["name"])
            self._groups[node["name"]] = node["group"]
        changes = spares.keep(probe, options.spares, nodes, reservations)
        if changes != self._spare_changes:  # an error is logged once, not every few seconds
            for change in changes:
                self.tell("spares", **change)
        self._spare_changes = changes

    def tell(self, event: str, **fields: object) -> None:
        """Print a line for the journal, and write it to the log if the disk allows it."""
        line = json.dumps({"time": _now(), "event": event, **fields})
        print(line, flush=True)
        target = Path(self._options.log)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        except OSError as error:
            # A full disk would end the thread of the hold, and the service would go on without it.
            print(json.dumps({"time": _now(), "event": "log", "error": str(error)}), flush=True)

    def _publish(self) -> None:
        state = self.state()
        text = json.dumps(state, sort_keys=True)
        if text == self._published and time.monotonic() - self._published_at < AT_LEAST_SECONDS:
            return
        self._bucket.put(KEY, {**state, "written_at": _now()})
        self._published, self._published_at = text, time.monotonic()

    def _requests(self) -> None:
        handled = _read_handled(self._options.handled)
        for found, text in self._new(handled):
            # Before it is carried out: a killed service does not repeat it.
            handled[found] = None
            _write_handled(self._options.handled, handled)
            handled[found] = self._answer(found, text)
            _write_handled(self._options.handled, handled)
            self.tell("request", **handled[found])
            self._send_answers()

    def _local_requests(self) -> None:
        """Carry out what root asked on this node, also while the bucket cannot be reached."""
        folder = Path(self._options.local)
        for path in sorted((folder / "requests").glob("*.json")):
            if not path.is_file():
                continue
            text = _text(str(path))
            # Before it is carried out: a killed service does not repeat it.
            path.unlink()
            if not requests.is_id(path.stem):
                continue
            answer = self._answer(path.stem, text)
            records.write(folder / "answers" / path.name, answer)
            self.tell("request", **answer)

    def _new(self, handled: dict[str, Any]) -> list[tuple[str, str]]:
        """(id, text) of the requests that no controller has handled, the oldest first.

        Those that another controller answered are recorded as handled.
        """
        found = [requests.id_of(key) for key in self._bucket.keys(requests.FOLDER)]
        unknown = [each for each in found if each is not None and each not in handled]
        if not unknown:
            return []
        # A replaced controller has no record of what the one before it carried out.
        keys = set(self._bucket.keys(requests.ANSWERS))
        answered = {each for each in unknown if f"{requests.ANSWERS}{each}.json" in keys}
        if answered:
            mine = dict(handled)
            handled.clear()
            # First, as the oldest are forgotten first.
            handled.update({**dict.fromkeys(sorted(answered)), **mine})
            _write_handled(self._options.handled, handled)
        texts = [
            (each, self._bucket.get(f"{requests.FOLDER}{each}.json"))
            for each in unknown
            if each not in answered
        ]
        return sorted(texts, key=lambda pair: (requests.created_at(parsed(pair[1])), pair[0]))

    def _send_answers(self) -> None:
        """Send the answers that are not sent yet, also those of before a restart."""
        handled = _read_handled(self._options.handled)
        for found, answer in list(handled.items()):
            if answer is not None:
                self._bucket.put(f"{requests.ANSWERS}{found}.json", answer)
                handled[found] = None
                _write_handled(self._options.handled, handled)

    def _answer(self, found: str, text: str) -> dict[str, Any]:
        value = parsed(text)
        try:
            request = requests.read(value, found, dt.datetime.now(dt.timezone.utc))
        except requests.Refused as refusal:
            verb = str(value["verb"]) if value and "verb" in value else None
            return requests.answer_of(found, verb, [], [{"node": "", "reason": str(refusal)}])
        probe = Probe(deadline_seconds=_DEADLINE_SECONDS)
        known = slurm_view.nodes(probe, {}, {})
        if known is None:
            reason = "slurmctld does not respond"
            return requests.answer_of(found, request.verb, [], [{"node": "", "reason": reason}])
        names = {node["name"] for node in known}
        if request.verb == requests.ACCEPT:
            reserved = _reserved(slurm_view.reservations(probe))
            ours = {node: each for node, each in reserved.items() if each.startswith(_OURS)}
            # Login nodes of AWS PCS are nodes of Slurm without a partition: no job tests them.
            tested = {node["name"] for node in known if node["partitions"]}
            with self._starting:
                return requests.start(self._runs, request, tested, ours)
        return requests.carry_out(probe, request, names, reserve=self._options.reserve)


def _program() -> Optional[dict[str, Any]]:
    """The node program of this node; None where it cannot be read."""
    try:
        found = installation.read(Path("/"))
    except OSError:
        return None
    return None if found is None else found.to_json()


def _reserved(reservations: Optional[Sequence[Mapping[str, Any]]]) -> dict[str, str]:
    """The reservation of each reserved node."""
    found = {name: each["name"] for each in reservations or () for name in each["nodes"]}
    # A spare that is not accepted is in two.
    held = (each["nodes"] for each in reservations or () if each["name"] == hold.RESERVATION)
    return {**found, **{name: hold.RESERVATION for nodes in held for name in nodes}}


def _read_handled(path: str) -> dict[str, Any]:
    """Handled requests by id: the answer that has still to be sent, or None."""
    found = parsed(_text(path))
    return {} if found is None else found


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _write_handled(path: str, handled: Mapping[str, Any]) -> None:
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f".{target.name}.tmp")
    # An answer that has still to be sent is never forgotten.
    oldest = list(handled)[:-_MOST_HANDLED]
    forgotten = {found for found in oldest if handled[found] is None}
    latest = {found: answer for found, answer in handled.items() if found not in forgotten}
    fresh.write_text(json.dumps(latest) + "\n", encoding="utf-8")
    fresh.replace(target)


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _recheck(text: str) -> tuple[str, int]:
    level, _, hours = text.partition(",")
    if level not in acceptance.LEVELS:
        raise ValueError(text)
    return level, int(hours)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="clusterwright_state", allow_abbrev=False)
    parser.add_argument("--bucket", required=True)
    parser.add_argument("--environment", required=True)
    parser.add_argument("--region", required=True)
    parser.add_argument("--resource-config", default="/opt/ml/config/resource_config.json")
    parser.add_argument("--inputs-sha256", default=None)
    parser.add_argument("--reserve", action="store_true")
    parser.add_argument("--keep-spares", action="store_true")
    parser.add_argument("--spares", action="append", default=[], type=spares.Spares.parsed)
    parser.add_argument("--hold", metavar="LEVEL", default=None, choices=acceptance.LEVELS)
    parser.add_argument("--boot-tests", action="store_true")
    parser.add_argument("--recheck", metavar="LEVEL,HOURS", default=None, type=_recheck)
    parser.add_argument("--every-seconds", type=float, default=30.0)
    parser.add_argument("--handled", default=HANDLED)
    parser.add_argument("--log", default=LOG)
    parser.add_argument("--acceptance", default=acceptance.FOLDER)
    parser.add_argument("--local", default=requests.LOCAL)
    parser.add_argument("--once", action="store_true")
    return parser
