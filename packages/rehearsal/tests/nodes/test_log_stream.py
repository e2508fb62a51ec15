"""Output of lifecycle scripts in CloudWatch Logs and in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clusterwright_rehearsal.nodes import log_stream
from clusterwright_rehearsal.nodes.log_stream import Stream, group_name, stream_name


class Logs:
    """CloudWatch Logs: groups, streams and messages."""

    class exceptions:  # noqa: N801
        class ResourceAlreadyExistsException(Exception):
            pass

    def __init__(self, *existing: str) -> None:
        self.existing = set(existing)
        self.calls: list[dict[str, Any]] = []

    def create_log_group(self, logGroupName: str) -> None:  # noqa: N803
        self._create(logGroupName)

    def create_log_stream(self, logGroupName: str, logStreamName: str) -> None:  # noqa: N803
        self._create(f"{logGroupName}/{logStreamName}")

    def put_log_events(self, **parameters: Any) -> None:
        assert f"{parameters['logGroupName']}/{parameters['logStreamName']}" in self.existing
        self.calls.append(parameters)

    def _create(self, name: str) -> None:
        if name in self.existing:
            raise self.exceptions.ResourceAlreadyExistsException
        self.existing.add(name)

    @property
    def messages(self) -> list[str]:
        return [event["message"] for call in self.calls for event in call["logEvents"]]


def test_names_are_those_of_hyperpod() -> None:
    assert group_name("train", "abc") == "/aws/sagemaker/Clusters/train/abc"
    assert stream_name("workers", "i-1") == "LifecycleConfig/workers/i-1"


def test_closing_sends_what_is_left(tmp_path: Path) -> None:
    logs = Logs()
    stream = Stream(logs, "group", "stream", tmp_path / "logs" / "i-1.log")
    for line in ("first", "", "last"):
        stream.write(line)
    stream.close()
    assert logs.messages == ["first", " ", "last"]
    assert (tmp_path / "logs" / "i-1.log").read_text() == "first\n\nlast\n"
    assert logs.existing == {"group", "group/stream"}


def test_an_existing_group_is_used(tmp_path: Path) -> None:
    logs = Logs("group", "group/stream")
    stream = Stream(logs, "group", "stream", tmp_path / "log")
    stream.write("x")
    stream.close()
    assert logs.messages == ["x"]


def test_lines_are_sent_in_batches_in_order(tmp_path: Path) -> None:
    logs = Logs()
    stream = Stream(logs, "group", "stream", tmp_path / "log")
    with stream._sending:  # nothing is sent meanwhile
        for number in range(log_stream._BATCH + 1):
            stream.write(str(number))
    stream.close()
    assert [len(call["logEvents"]) for call in logs.calls] == [log_stream._BATCH, 1]
    assert logs.messages == [str(number) for number in range(log_stream._BATCH + 1)]
    times = [event["timestamp"] for call in logs.calls for event in call["logEvents"]]
    assert times == sorted(times)


def test_nothing_written_creates_nothing(tmp_path: Path) -> None:
    logs = Logs()
    Stream(logs, "group", "stream", tmp_path / "log").close()
    assert logs.existing == set()
