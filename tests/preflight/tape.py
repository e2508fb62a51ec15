"""Recorded answers of an account to one check, replayed with the answers of one operation changed.

Nothing is sent: the answers are inserted where botocore would send the request, so a check takes a
few milliseconds. botocore's own retries are tested in `test_retries.py`.
"""

from __future__ import annotations

import copy
import datetime as dt
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from botocore.awsrequest import AWSResponse
from botocore.exceptions import ReadTimeoutError

from clusterwright.aws.errors import iam_action_of
from clusterwright.aws.session import AwsSession
from clusterwright.preflight.facts.fact import Fact
from clusterwright.preflight.facts.reader import AwsFactReader
from clusterwright_localaws.testing import Paging, paging_of

Operation = tuple[str, str]
"""boto3's name of the service, and the API's name of the operation."""

_KEY = "clusterwright-tape"
_TOKENS = ("NextToken", "nextToken", "Marker", "NextMarker", "PageToken", "nextPageToken")


class Recorded(NamedTuple):
    status: int
    answer: dict[str, Any]


@dataclass
class Tape:
    """Answers by operation and parameters."""

    answers: dict[tuple[Operation, str], Recorded] = field(default_factory=dict)

    @property
    def operations(self) -> list[Operation]:
        return sorted({operation for operation, _ in self.answers})


class _Session(AwsSession):
    """A session whose clients record their requests with `_asked`."""

    def __init__(self) -> None:
        super().__init__("us-east-1")
        self._hooked: set[int] = set()
        self.asked: set[Operation] = set()
        self._hook_lock = threading.Lock()

    def require_credentials(self, *, service: str, operation: str) -> None:
        del service, operation

    def client(self, service: str, region: str | None = None, *, operation: str = "*") -> Any:
        made = super().client(service, region, operation=operation)
        with self._hook_lock:
            if id(made) not in self._hooked:
                self._hooked.add(id(made))
                self._hook(service, made)
        return made

    def _hook(self, service: str, client: Any) -> None:
        raise NotImplementedError


class RecordingSession(_Session):
    """Calls the local AWS of this process, and records its answers."""

    def __init__(self) -> None:
        super().__init__()
        self.tape = Tape()

    def _hook(self, service: str, client: Any) -> None:
        def keep_parameters(params: Any, model: Any, context: Any, **_: Any) -> None:
            context[_KEY] = ((service, model.name), _text(params))
            self.asked.add((service, model.name))

        def keep_answer(http_response: Any, parsed: Any, context: Any, **_: Any) -> None:
            answer = Recorded(http_response.status_code, copy.deepcopy(parsed))
            self.tape.answers[context[_KEY]] = answer

        client.meta.events.register("provide-client-params", keep_parameters)
        # Before botocore decodes its policies, which is repeated in the replay.
        name = client.meta.service_model.service_id.hyphenize()
        client.meta.events.register_first(f"after-call.{name}", keep_answer)


class PlayedSession(_Session):
    """Answers from a recording; `spoil` can replace an answer by another one or an error."""

    def __init__(self, tape: Tape) -> None:
        super().__init__()
        self._tape = tape
        self.spoil: Callable[[Any, Mapping[str, Any], Recorded], Recorded] | None = None
        self.target: Operation | None = None

    def _hook(self, service: str, client: Any) -> None:
        def take_parameters(params: Any, model: Any, context: Any, **_: Any) -> Any:
            given = dict(params)
            context["token"] = next((given.pop(n) for n in _TOKENS if n in given), None)
            context[_KEY] = ((service, model.name), _text(given))
            return given

        def play(model: Any, context: Any, **_: Any) -> Any:
            operation, _parameters = context[_KEY]
            self.asked.add(operation)
            recorded = self._tape.answers.get(context[_KEY])
            if recorded is None and self.target is not None:
                # Asked because of the answer that was replaced.
                recorded = refused("AccessDenied", 403)(model, context, Recorded(200, {}))
            assert recorded is not None, f"not asked while recording: {context[_KEY]}"
            recorded = Recorded(recorded.status, copy.deepcopy(recorded.answer))
            if operation == self.target and self.spoil is not None:
                recorded = self.spoil(model, context, recorded)
            return AWSResponse("https://played", recorded.status, {}, None), recorded.answer

        client.meta.events.register("provide-client-params", take_parameters)
        client.meta.events.register("before-call", play)


def _text(parameters: Any) -> str:
    """Parameters as a key, without times, which differ between runs."""

    def plain(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: plain(value[key]) for key in sorted(value)}
        if isinstance(value, (list, tuple)):
            return [plain(item) for item in value]
        return "a time" if isinstance(value, (dt.datetime, dt.date)) else value

    return repr(plain({k: v for k, v in dict(parameters).items() if k not in _TOKENS}))


def asked_by(
    session: _Session, facts: Iterable[Fact[Any]]
) -> dict[Fact[Any], frozenset[Operation]]:
    """The operations that each fact calls here: some calls depend on earlier answers."""
    found = {}
    for fact in facts:
        session.asked.clear()
        AwsFactReader(session, pool_size=1).read([fact])
        found[fact] = frozenset(session.asked)
        actions = {iam_action_of(*operation) for operation in session.asked}
        assert actions <= set(fact.actions), f"{fact} asks what it does not declare"
    return found


# -- what can go wrong ------------------------------------------------------------------------


def refused(code: str, status: int) -> Callable[[Any, Mapping[str, Any], Recorded], Recorded]:
    """An AWS error, for every call."""

    def spoil(model: Any, context: Mapping[str, Any], recorded: Recorded) -> Recorded:
        del model, context, recorded
        error = {"Code": code, "Message": "on purpose"}
        return Recorded(status, {"Error": error, "ResponseMetadata": {"HTTPStatusCode": status}})

    return spoil


def timed_out(model: Any, context: Mapping[str, Any], recorded: Recorded) -> Recorded:
    raise ReadTimeoutError(endpoint_url="https://played")


def hollow(model: Any, context: Mapping[str, Any], recorded: Recorded) -> Recorded:
    """An empty answer."""
    del model, context
    return Recorded(recorded.status, {"ResponseMetadata": {}})


def emptied(model: Any, context: Mapping[str, Any], recorded: Recorded) -> Recorded:
    """Every list of the answer is empty."""
    del model, context
    return Recorded(recorded.status, {k: _empty(v) for k, v in recorded.answer.items()})


def has_lists(answer: Mapping[str, Any]) -> bool:
    """Return whether the answer has a non-empty list at the top level."""
    return any(isinstance(value, list) and value for value in answer.values())


def paging(operation: Operation) -> Paging | None:
    """The pagination of an operation's answers, if its model has one."""
    return paging_of(*operation)


def _more(model: Any, context: Mapping[str, Any], answer: dict[str, Any]) -> dict[str, Any] | None:
    """The same answer with a token for more."""
    found = paging(context[_KEY][0])
    if found is None:
        return None
    said = {found.output_token: "more"}
    if found.more is not None:
        said[found.more] = True  # type: ignore[assignment]
    del model
    return {**answer, **said}


def cut_off(model: Any, context: Mapping[str, Any], recorded: Recorded) -> Recorded:
    """A first page with a token; the second one is refused."""
    if context["token"] is not None:
        return refused("ThrottlingException", 400)(model, context, recorded)
    page = {
        name: value[:-1] if isinstance(value, list) else value
        for name, value in recorded.answer.items()
    }
    return Recorded(recorded.status, _more(model, context, page) or recorded.answer)


def endless(model: Any, context: Mapping[str, Any], recorded: Recorded) -> Recorded:
    """Every page has the same token."""
    answer = _more(model, context, recorded.answer)
    return Recorded(recorded.status, answer or recorded.answer)


def first_page_empty(model: Any, context: Mapping[str, Any], recorded: Recorded) -> Recorded:
    """An empty page with a token, then all items, as AWS answers with filters."""
    if context["token"] is not None:
        return recorded
    answer = _more(model, context, emptied(model, context, recorded).answer)
    return Recorded(recorded.status, answer or recorded.answer)


class Strange(str):
    """A value that this version does not know; its readers are recorded."""

    __slots__ = ()
    seen_by: set[str] = set()  # noqa: RUF012
    looking = "reading"

    def _seen(self) -> None:
        Strange.seen_by.add(Strange.looking)

    def __eq__(self, other: object) -> bool:
        self._seen()
        return str.__eq__(self, other)  # type: ignore[arg-type]

    def __ne__(self, other: object) -> bool:
        self._seen()
        return str.__ne__(self, other)  # type: ignore[arg-type]

    def __hash__(self) -> int:
        self._seen()
        return str.__hash__(self)

    def startswith(self, *arguments: Any) -> bool:
        self._seen()
        return str.startswith(self, *arguments)

    def endswith(self, *arguments: Any) -> bool:
        self._seen()
        return str.endswith(self, *arguments)

    def lower(self) -> str:
        self._seen()
        return str.lower(self)

    def upper(self) -> str:
        self._seen()
        return str.upper(self)


# Names that AWS adds regularly and that are no states: a new one is simply another value.
OPEN_NAMES = frozenset(
    {
        "BucketLocationConstraint",
        "ClusterInstanceType",
        "EncodingType",  # botocore decodes the keys of objects by it
        "InstanceType",
        "ReservedCapacityInstanceType",
    }
)


def strange(model: Any, context: Mapping[str, Any], recorded: Recorded) -> Recorded:
    """Every enumerated value is replaced by one that botocore's model lacks."""
    del context
    return Recorded(recorded.status, _strange(model.output_shape, recorded.answer))


def _strange(shape: Any, value: Any) -> Any:
    if shape is None:
        return value
    if shape.type_name == "structure" and isinstance(value, dict):
        return {k: _strange(shape.members.get(k), v) for k, v in value.items()}
    if shape.type_name == "list" and isinstance(value, list):
        return [_strange(shape.member, item) for item in value]
    if shape.type_name == "map" and isinstance(value, dict):
        return {k: _strange(shape.value, v) for k, v in value.items()}
    if shape.type_name == "string" and shape.enum and shape.name not in OPEN_NAMES:
        return Strange("something-new")
    return value


def _empty(value: Any) -> Any:
    if isinstance(value, list):
        return []
    if isinstance(value, dict):
        return {key: _empty(inner) for key, inner in value.items()}
    return value
