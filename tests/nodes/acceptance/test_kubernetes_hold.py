"""Nodes are held as soon as they change: the watch against an API server that streams events."""

from __future__ import annotations

import copy
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from clusterwright_acceptance import kubernetes_nodes
from clusterwright_acceptance.kubernetes_api import KubernetesError, PodApi
from clusterwright_acceptance.kubernetes_hold import NodeWatch

from tests.nodes.acceptance.fake_kubernetes import FakeKubernetes, node

pytestmark = pytest.mark.enable_socket

SELECTOR = "clusterwright.dev/group in (workers)"
GONE = {"kind": "Status", "code": 410, "message": "too old resource version"}
LOST = {"type": "MODIFIED", "object": {}}
Turn = Callable[["Server"], Any]


def accepted(name: str, *, ready: bool = True, boot: str = "boot-1") -> Any:
    """A node whose test of `boot-1` was accepted."""
    one = node(name, ready=ready, boot=boot)
    value = json.dumps({"state": "accepted", "boot_id": "boot-1", "at": 1000})
    one["metadata"]["annotations"] = {kubernetes_nodes.ANNOTATION: value}
    return one


class Server(ThreadingHTTPServer):
    """Lists and patches nodes. Each watch is one list of turns, which return what is sent."""

    def __init__(self, *nodes: Any) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.state = FakeKubernetes(list(nodes), lambda *_: None)
        self.watches: list[list[Turn]] = []
        self.versions: list[str] = []
        """From which each watch went on."""
        self.refused: set[str] = set()
        """Names of nodes whose patches are refused."""
        self.pods: list[list[Any] | None] = []
        """What each look at the pods finds, None if it is refused; then nothing."""
        self.looks = 0
        self.evictions: list[tuple[str, Any]] = []
        self.eviction_codes: list[int] = []
        """What evictions are answered; 201 after these."""

    def change(self, name: str, *, ready: bool, boot: str) -> None:
        """The kubelet, or the control plane, writes the status of a node."""
        one = self.state.nodes[name]
        one["status"] = node(name, ready=ready, boot=boot)["status"]
        version = int(one["metadata"]["resourceVersion"])
        one["metadata"]["resourceVersion"] = str(version + 1)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        if parts.path == "/api/v1/pods":
            assert query == {"fieldSelector": "status.phase=Pending,spec.nodeName!="}
            self.server.looks += 1
            found = self.server.pods.pop(0) if self.server.pods else []
            self._send(200 if found is not None else 403, {"items": found, "message": "no"})
            return
        assert (parts.path, query.pop("labelSelector")) == ("/api/v1/nodes", SELECTOR)
        if not query:
            self._send(200, self.server.state.get("/api/v1/nodes"))
            return
        self.server.versions.append(query.pop("resourceVersion"))
        assert query == {"watch": "true", "allowWatchBookmarks": "true", "timeoutSeconds": "25"}
        turns = self.server.watches.pop(0)
        if turns in ([gone], [unknown_version]):
            answer = turns[0](self.server)["object"]
            self._send(answer["code"], answer)
            return
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for turn in turns:
            event = turn(self.server)
            data = json.dumps(event).encode() + b"\n"
            if event is None or event == LOST:
                self.wfile.write(b"" if event is None else b"%x\r\n%b" % (len(data), data[:9]))
                self.close_connection = True
                return
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.write(b"0\r\n\r\n")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.evictions.append((self.path, body))
        codes = self.server.eviction_codes
        self._send(codes.pop(0) if codes else 201, {"message": "not now"})

    def do_PATCH(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.rpartition("/")[2] in self.server.refused:
            self._send(403, {"message": "a webhook denied the request"})
            return
        try:
            self._send(200, self.server.state.patch(self.path, body))
        except KubernetesError as error:
            self._send(error.code, {"message": str(error)})

    def _send(self, code: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


def becomes(name: str, *, ready: bool, boot: str = "boot-1") -> Turn:
    def turn(server: Server) -> dict[str, Any]:
        server.change(name, ready=ready, boot=boot)
        return {"type": "MODIFIED", "object": copy.deepcopy(server.state.nodes[name])}

    return turn


def bookmark(version: str) -> Turn:
    return lambda _: {
        "type": "BOOKMARK",
        "object": {"kind": "Node", "metadata": {"resourceVersion": version}},
    }


def dropped(_: Server) -> None:
    """The connection ends between two events."""


def lost(_: Server) -> dict[str, Any]:
    """The connection ends within an event."""
    return LOST


def gone(_: Server) -> dict[str, Any]:
    return {"type": "ERROR", "object": GONE}


def unknown_version(_: Server) -> dict[str, Any]:
    """What a server says whose etcd was restored."""
    return {"type": "ERROR", "object": {"code": 504, "message": "Too large resource version"}}


@contextmanager
def served(folder: Path, *nodes: Any) -> Iterator[tuple[Server, PodApi]]:
    (folder / "token").write_text("secret\n")
    server = Server(*nodes)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server, PodApi(f"http://127.0.0.1:{server.server_port}", str(folder))
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Watched:
    """A `NodeWatch` whose watches take as long as the server says they do."""

    def __init__(self, api: PodApi, seconds: float = 25.0) -> None:
        self._seconds = seconds
        self.said: list[str] = []
        self.pauses: list[float] = []
        self.touched = 0
        self.now = 0.0
        self._watch = NodeWatch(
            api, SELECTOR, self.said.append, self._touch, self.pauses.append, self._clock
        )

    def step(self) -> None:
        self._watch.step()

    def _touch(self) -> None:
        self.touched += 1

    def _clock(self) -> float:
        self.now += self._seconds
        return self.now


def test_a_reboot_finds_the_taint_and_the_accepted_boot_loses_it(tmp_path: Path) -> None:
    with served(tmp_path, accepted("a"), accepted("b"), node("new")) as (server, api):
        server.watches = [
            [becomes("a", ready=False), becomes("b", ready=False), bookmark("7")],
            [becomes("a", ready=True), becomes("b", ready=False, boot="boot-2")],
            [becomes("b", ready=True, boot="boot-2"), bookmark("9")],
            [becomes("b", ready=False, boot="boot-2")],
        ]
        watched = Watched(api)
        taints = []
        for _ in range(4):
            watched.step()
            taints.append(server.state.taints())
    assert taints == [
        {"a": ["away"], "b": ["away"], "new": ["pending"]},
        {"a": [], "b": ["away"], "new": ["pending"]},
        {"a": [], "b": ["pending"], "new": ["pending"]},
        {"a": [], "b": ["pending"], "new": ["pending"]},
    ]
    assert watched.said == [
        "new: held (pending)",
        "a: held (away)",
        "b: held (away)",
        "a: opened",
        "b: held (pending)",
    ]
    # One list; then from the last event, which may be a bookmark.
    assert (server.state.lists, server.versions) == (1, ["list-1", "7", "4", "9"])
    # When each went away, and with each watch while one is.
    assert server.looks == 4
    # Before each of four watches, for each of three nodes and six events, and for each look.
    assert (watched.touched, watched.pauses) == (4 + 3 + 6 + 4, [])


def bound(name: str, *, owner: str | None = "Job", **status: Any) -> dict[str, Any]:
    """A pod that the scheduler bound to a node."""
    owners = [] if owner is None else [{"kind": owner, "name": "o", "controller": True}]
    return {
        "metadata": {
            "name": name,
            "namespace": "team",
            "uid": f"uid-{name}",
            "resourceVersion": "17",
            "ownerReferences": owners,
        },
        "spec": {"nodeName": "a"},
        "status": {"phase": "Pending", **status},
    }


def test_pods_that_a_node_had_not_taken_are_evicted(tmp_path: Path) -> None:
    with served(tmp_path, accepted("a")) as (server, api):
        taken = bound("taken", startTime="2026-11-30T10:00:00Z")
        server.pods = [[bound("job-0"), taken], [], [bound("late")]]
        server.watches = [[becomes("a", ready=False)], [], []]
        watched = Watched(api)
        for _ in range(3):
            watched.step()
    assert server.evictions[0] == (
        "/api/v1/namespaces/team/pods/job-0/eviction",
        {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": "job-0", "namespace": "team"},
            "deleteOptions": {"preconditions": {"uid": "uid-job-0", "resourceVersion": "17"}},
        },
    )
    assert watched.said == [
        "a: held (away)",
        "a: evicted team/job-0, which it had not taken",
        "a: evicted team/late, which it had not taken",
    ]


def test_refused_evictions_and_looks_are_tried_again(tmp_path: Path) -> None:
    refused: Any = None
    with served(tmp_path, accepted("a")) as (server, api):
        server.pods = [refused, [bound("x"), bound("y")], [bound("x")]]
        server.eviction_codes = [500, 409]
        server.watches = [[becomes("a", ready=False)], [], []]
        watched = Watched(api)
        for _ in range(3):
            watched.step()
    pods = [path.split("/")[6] for path, _ in server.evictions]
    assert pods == ["x", "y", "x"]
    assert [text.rpartition(": ")[2] for text in watched.said] == [
        "held (away)",
        "no",
        "not now",
        "evicted team/x, which it had not taken",
    ]


def test_pods_are_not_looked_for_any_more_after_a_while(tmp_path: Path) -> None:
    """Nor on a node that is gone."""

    def deleted(server: Server) -> Any:
        return {"type": "DELETED", "object": copy.deepcopy(server.state.nodes["b"])}

    with served(tmp_path, accepted("a"), accepted("b")) as (server, api):
        server.watches = [[becomes("a", ready=False), becomes("b", ready=False), deleted]]
        server.watches += [[] for _ in range(9)]
        watched = Watched(api)
        for _ in range(10):
            watched.step()
    # The clock goes on by 25 seconds with each reading, twice for a watch: once more in 120.
    assert server.looks == 3


def test_taints_of_many_nodes_come_before_the_next_look_at_pods(tmp_path: Path) -> None:
    names = ("a", "b", "c")
    with served(tmp_path, *map(accepted, names)) as (server, api):
        server.pods = [[], [bound("p"), {**bound("other"), "spec": {"nodeName": "d"}}]]
        server.watches = [[becomes(name, ready=False) for name in names], []]
        watched = Watched(api, seconds=0.1)
        watched.step()
        assert server.state.taints() == {name: ["away"] for name in names}
        assert (server.looks, server.evictions) == (1, [])
        watched.step()
    assert (server.looks, [path.split("/")[6] for path, _ in server.evictions]) == (2, ["p"])


def test_a_fast_reboot_is_held_when_the_kubelet_says_it(tmp_path: Path) -> None:
    with served(tmp_path, accepted("a")) as (server, api):
        server.watches = [[becomes("a", ready=True, boot="boot-2")]]
        Watched(api).step()
    assert server.state.taints() == {"a": ["pending"]}


def test_a_lost_connection_goes_on_from_its_last_event(tmp_path: Path) -> None:
    with served(tmp_path, accepted("a")) as (server, api):
        server.watches = [[bookmark("5"), lost], [lost], [lost], [lost], [dropped]]
        server.watches += [[becomes("a", ready=False), lost], []]
        watched = Watched(api)
        for _ in range(7):
            watched.step()
    assert server.state.taints() == {"a": ["away"]}
    assert (server.state.lists, server.versions) == (1, ["list-1", *["5"] * 5, "2"])
    # The first is repeated at once; a watch that ends well begins anew.
    assert watched.pauses == [1.0, 2.0, 4.0]
    assert len([text for text in watched.said if text.startswith("the watch of nodes: GET")]) == 5


@pytest.mark.parametrize(
    "events",
    [[gone], [bookmark("5"), gone], [unknown_version]],
    ids=["status", "event", "unknown"],
)
def test_versions_that_are_gone_are_listed_again(tmp_path: Path, events: list[Turn]) -> None:
    with served(tmp_path, accepted("a")) as (server, api):
        server.watches = [events, []]
        watched = Watched(api)
        watched.step()
        # No event tells of this.
        server.change("a", ready=True, boot="boot-2")
        watched.step()
    assert server.state.taints() == {"a": ["pending"]}
    assert (server.state.lists, server.versions[1]) == (2, "list-2")
    assert re.search("too old resource version|Too large resource version", watched.said[0])


def test_a_node_that_cannot_be_patched_does_not_open_others(tmp_path: Path) -> None:
    with served(tmp_path, node("a"), accepted("b")) as (server, api):
        server.refused = {"a"}
        server.watches = [[becomes("b", ready=False)], []]
        watched = Watched(api)
        watched.step()
        assert server.state.taints() == {"a": [], "b": ["away"]}
        server.refused = set()
        watched.step()
    assert server.state.taints() == {"a": ["pending"], "b": ["away"]}
    assert watched.said[0].endswith("a webhook denied the request")


def test_a_change_of_others_meanwhile_is_decided_by_its_event(tmp_path: Path) -> None:
    with served(tmp_path, accepted("a")) as (server, api):
        old = becomes("a", ready=False)

        def late(server: Server) -> Any:
            event = old(server)
            server.change("a", ready=True, boot="boot-1")
            return event

        server.watches = [[late, becomes("a", ready=False)]]
        watched = Watched(api)
        watched.step()
    assert server.state.taints() == {"a": ["away"]}
    assert watched.said == ["a: held (away)"]


def test_watches_that_end_at_once_are_repeated_with_pauses(tmp_path: Path) -> None:
    pauses: list[float] = []
    with served(tmp_path, accepted("a")) as (server, api):
        server.watches = [[] for _ in range(8)]
        watch = NodeWatch(api, SELECTOR, lambda _: None, sleep=pauses.append, clock=lambda: 1.0)
        for _ in range(8):
            watch.step()
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]


def test_a_silent_server_is_an_error(tmp_path: Path) -> None:
    ended = threading.Event()

    def silent(_: Server) -> None:
        ended.wait(10.0)

    with served(tmp_path, accepted("a")) as (server, api):
        server.watches = [[silent]]
        path = f"/api/v1/nodes?labelSelector={SELECTOR.replace(' ', '%20')}"
        more = "&watch=true&allowWatchBookmarks=true&resourceVersion=1&timeoutSeconds=25"
        try:
            with pytest.raises(KubernetesError, match="timed out") as refused:
                list(api.watch(path + more, 0.1))
        finally:
            ended.set()
    assert refused.value.code == 0


@pytest.mark.parametrize(
    "event", [{}, {"type": "ADDED"}, {"type": "MODIFIED", "object": {"metadata": {}}}, []]
)
def test_events_of_another_form_are_refused(tmp_path: Path, event: Any) -> None:
    with served(tmp_path, accepted("a")) as (server, api):
        server.watches = [[lambda _: event]]
        watched = Watched(api)
        watched.step()
    assert "an event has" in watched.said[0]
    assert server.state.taints() == {"a": []}
