"""`localaws replay`: the recorded calls again, to the local AWS, and what it answers otherwise."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from clusterwright.json_output.base import json_text
from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.template_text import parse_text
from clusterwright_localaws.json_output import ReplayOutput
from clusterwright_localaws.probes.anonymous import anonymous, mapped
from clusterwright_localaws.probes.calls import Answer, BotoCaller, NoAnswer
from clusterwright_localaws.probes.library import reads_only
from clusterwright_localaws.probes.model import Call
from clusterwright_localaws.recordings.lost_templates import LostTemplates
from clusterwright_localaws.server import wire
from clusterwright_localaws.server.recording import plain_answer
from clusterwright_localaws.server.redaction import REDACTED
from clusterwright_localaws.worlds.model import World

# Replaces a recorded secret; it satisfies the usual rules for passwords, is base64, as user data
# must be, and has the 32 bytes of a customer's key for S3.
PLACEHOLDER: Final = "Placeholder1+for+a+secret0000000"
_TIME: Final = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*")
_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ID: Final = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[a-z][a-z-]{0,20}-[0-9a-f]{8,17}\b"
)
# Members whose values AWS chooses: compared by their presence, and learnt for later calls.
_CHOSEN: Final = re.compile(
    r"(Id|ID|Token|ETag|RequestId|VersionId|Hash|Fingerprint|Sha256|Revision|KeyMD5"
    r"|Checksum[A-Z0-9]+)$"
)
_OF_THE_BODY: Final = re.compile(
    r"Checksum(CRC|SHA|XX)\w*|ContentMD5|(CopySource)?SSECustomerKeyMD5"
)
_CLOCK: Final = re.compile(r"(Time|Date|Timestamp|At|Modified|Used|Duration\w*)$")


@dataclass(frozen=True)
class MemberDifference:
    """A member that the local AWS answers otherwise."""

    member: str
    recorded: str
    answered: str


@dataclass
class Replayed:
    """One call of a recording, and how the local AWS answered it."""

    number: int
    call: str
    verdict: Literal["same", "different", "unknown", "skipped"]
    reason: str = ""
    differences: list[MemberDifference] = field(default_factory=list)


class Replay:
    """Sends recorded calls to a local AWS, in their order.

    Parameters
    ----------
    caller:
        Answers a call in a region.
    """

    def __init__(self, caller: Callable[[Call, str], Answer]) -> None:
        self._caller = caller
        self._ours: dict[str, str] = {}
        self._lost = LostTemplates()

    def run(self, lines: Sequence[Mapping[str, Any]]) -> list[Replayed]:
        """Compare every call; repeated reads of a changing state are compared by their last."""
        last = _last_reads(lines)
        return [self._one(index, line, index in last) for index, line in enumerate(lines)]

    def _one(self, index: int, line: Mapping[str, Any], is_compared: bool) -> Replayed:
        number = int(line.get("number", index + 1))
        operation = line.get("operation")
        if operation is None or line.get("parameters") is None:
            return Replayed(number, str(line["service"]), "unknown", "the call could not be read")
        name = f"{line['service']}.{operation}"
        if not is_compared:
            return Replayed(number, name, "skipped", "the same read follows")
        if operation not in wire.service_model(line["service"]).operation_names:
            return Replayed(number, name, "unknown", "the API model has no such operation")
        lost = self._lost.reason(number, line)
        if lost is not None:
            return Replayed(number, name, "unknown", lost)
        shape = wire.service_model(line["service"]).operation_model(operation).input_shape
        parameters = _sendable(shape, mapped(line["parameters"], self._translated))
        # A placeholder of a body has another checksum.
        for member in [one for one in parameters if _OF_THE_BODY.fullmatch(one)]:
            del parameters[member]
        call = Call(service=line["service"], operation=operation, parameters=parameters)
        unknown = self._unknown_ids(line["parameters"])
        try:
            answer = self._caller(call, str(line.get("region") or "us-east-1"))
        except NoAnswer as error:
            return Replayed(number, name, "unknown", str(error))
        differences = list(self._compare(line, answer))
        if differences and unknown:
            reason = f"{', '.join(unknown)} was not created in the recording"
            return Replayed(number, name, "unknown", reason)
        if differences and (lost := self._lost.named(line["parameters"])) is not None:
            return Replayed(number, name, "unknown", lost)
        verdict: Literal["same", "different"] = "different" if differences else "same"
        return Replayed(number, name, verdict, "", differences)

    def _translated(self, text: str) -> str:
        for theirs in sorted(self._ours, key=len, reverse=True):
            if theirs in text:
                text = text.replace(theirs, self._ours[theirs])
        return text

    def _unknown_ids(self, parameters: Any) -> list[str]:
        # Ids with a prefix; a UUID is often a token that the client chose.
        found = [one for one in _ID.findall(json.dumps(parameters)) if not _UUID.fullmatch(one)]
        return sorted({anonymous(one) for one in found if one not in self._ours})

    def _compare(self, line: Mapping[str, Any], answer: Answer) -> Iterator[MemberDifference]:
        error = line.get("error")
        code = error.get("code") if error else None
        if code != answer.code:
            theirs = f"{code}: {error.get('message', '')}" if error else "accepted"
            ours = f"{answer.code}: {answer.message}" if answer.code else "accepted"
            yield MemberDifference("error", anonymous(theirs), anonymous(ours))
            return
        if error:
            theirs, ours = self._translated(str(error.get("message", ""))), answer.message
            if anonymous(theirs) != anonymous(ours):
                yield MemberDifference("error message", anonymous(theirs), anonymous(ours))
            return
        ours = plain_answer(line["service"], line["operation"], answer.members)
        yield from self._members("", line.get("answer") or {}, ours)

    def _members(self, path: str, theirs: Any, ours: Any) -> Iterator[MemberDifference]:
        if isinstance(theirs, Mapping) and isinstance(ours, Mapping):
            for key in sorted({*theirs, *ours}):
                inner = f"{path}.{key}" if path else key
                if key in theirs and key in ours:
                    yield from self._members(inner, theirs[key], ours[key])
                else:
                    yield _difference(inner, theirs.get(key), ours.get(key))
        elif isinstance(theirs, list) and isinstance(ours, list):
            yield from self._items(path, theirs, ours)
        elif not self._equal(path, theirs, ours):
            yield _difference(path, theirs, ours)

    def _items(self, path: str, theirs: list[Any], ours: list[Any]) -> Iterator[MemberDifference]:
        if len(theirs) != len(ours):
            yield MemberDifference(path, f"{len(theirs)} items", f"{len(ours)} items")
            return
        # AWS promises no order for most lists: items are paired by what is known of both.
        left = list(ours)
        for index, item in enumerate(theirs):
            wanted = anonymous(json.dumps(mapped(item, self._translated), sort_keys=True))
            paired = next(
                (one for one in left if anonymous(json.dumps(one, sort_keys=True)) == wanted),
                left[0],
            )
            left.remove(paired)
            yield from self._members(f"{path}[{index}]", item, paired)

    def _equal(self, path: str, theirs: Any, ours: Any) -> bool:
        if theirs == ours:
            return True
        if path.endswith("TemplateBody") and _is_same_template(theirs, ours):
            return True
        if not (isinstance(theirs, str) and isinstance(ours, str)):
            return _CLOCK.search(path) is not None and type(theirs) is type(ours)
        if self._translated(theirs).replace(REDACTED, PLACEHOLDER) == ours.replace(
            REDACTED, PLACEHOLDER
        ):
            return True
        if _TIME.fullmatch(theirs) and _TIME.fullmatch(ours):
            return True
        known = theirs in self._ours
        if known or not theirs or not ours:
            return False
        if _CHOSEN.search(path) or anonymous(theirs) == anonymous(ours):
            self._learn(theirs, ours)
            return True
        return False

    def _learn(self, theirs: str, ours: str) -> None:
        """Remember what the local AWS calls a thing, whole and by the ids within."""
        self._ours[theirs] = ours
        inner, others = _ID.findall(theirs), _ID.findall(ours)
        if len(inner) == len(others):
            for one, other in zip(inner, others, strict=True):
                self._ours.setdefault(one, other)


def against_local_aws(lines: Sequence[Mapping[str, Any]], world: World) -> list[Replayed]:
    """Replay calls against a new local AWS of this process, in the account of the recording."""
    from clusterwright_localaws import local_aws

    accounts = Counter(re.findall(r"arn:aws[a-z-]*:[a-z0-9-]*:[a-z0-9-]*:(\d{12}):", str(lines)))
    account = accounts.most_common(1)[0][0] if accounts else world.account
    callers: dict[str, BotoCaller] = {}

    def ask(call: Call, region: str) -> Answer:
        if region not in callers:
            callers[region] = BotoCaller(
                region,
                aws_access_key_id="replay",
                aws_secret_access_key="replay",  # noqa: S106  the local AWS accepts every key
            )
        return callers[region](call)

    with local_aws(world.model_copy(update={"account": account})):
        return Replay(ask).run(lines)


def as_json(results: Sequence[Replayed]) -> str:
    """Return the comparison as JSON."""
    return json_text(ReplayOutput, exit_code=exit_code(results), calls=results)


def as_text(results: Sequence[Replayed]) -> str:
    """Return what differs and what is unknown, and the counts."""
    lines = []
    for one in results:
        if one.verdict not in ("different", "unknown"):
            continue
        shown = one.verdict.upper() if one.verdict == "different" else one.verdict
        lines.append(
            f"{shown:10} call {one.number}, {one.call}" + (one.reason and f": {one.reason}")
        )
        for item in one.differences:
            lines += [
                f"           {item.member}",
                f"             recorded: {item.recorded}",
                f"             local AWS: {item.answered}",
            ]
    verdicts = [one.verdict for one in results]
    counts = ", ".join(
        f"{verdicts.count(name)} {name}" for name in ("same", "different", "unknown")
    )
    lines.append(f"{len(results)} calls: {counts}, {verdicts.count('skipped')} skipped")
    return "\n".join(lines)


def exit_code(results: Sequence[Replayed]) -> int:
    """1 if an answer differs; else 2 if something is unknown; else 0."""
    verdicts = {one.verdict for one in results}
    return 1 if "different" in verdicts else 2 if "unknown" in verdicts else 0


def _last_reads(lines: Sequence[Mapping[str, Any]]) -> set[int]:
    """The numbers of the calls that are compared: of equal reads without a change between, the
    last.
    """
    found: set[int] = set()
    later: set[str] = set()
    for index in range(len(lines) - 1, -1, -1):
        line = lines[index]
        operation = str(line.get("operation"))
        if not reads_only(operation):
            later.clear()
            found.add(index)
            continue
        key = json.dumps([line["service"], operation, line.get("parameters")], sort_keys=True)
        if key not in later:
            found.add(index)
        later.add(key)
    return found


def _is_same_template(theirs: Any, ours: Any) -> bool:
    """Return whether two texts are one template: clients answer one in JSON as a document."""
    try:
        return parse_text(str(theirs)) == parse_text(str(ours))
    except (ValidationError, ValueError):
        return False


def _sendable(shape: Any, value: Any) -> Any:
    """Return recorded parameters as they can be sent: with bytes, and placeholders of secrets."""
    if shape is None or value is None:
        return value
    kind = shape.type_name
    if kind == "blob":
        size = value.get("bytes", 0) if isinstance(value, Mapping) else 0
        return b"0" * size if isinstance(value, Mapping) else PLACEHOLDER.encode()
    if value == REDACTED:
        return _placeholder(shape)
    if kind == "structure" and isinstance(value, Mapping):
        return {key: _sendable(shape.members.get(key), item) for key, item in value.items()}
    if kind == "list" and isinstance(value, list):
        return [_sendable(shape.member, item) for item in value]
    if kind == "map" and isinstance(value, Mapping):
        return {key: _sendable(shape.value, item) for key, item in value.items()}
    if isinstance(value, str) and REDACTED in value:
        return value.replace(REDACTED, PLACEHOLDER)
    return value


def _placeholder(shape: Any) -> Any:
    if shape.type_name == "structure":
        return {}
    if shape.type_name == "list":
        return []
    if shape.type_name == "map":
        return {}
    return PLACEHOLDER


def _difference(path: str, theirs: Any, ours: Any) -> MemberDifference:
    return MemberDifference(path, _text(theirs), _text(ours))


def _text(value: Any) -> str:
    if value is None:
        return "absent"
    shown = anonymous(value if isinstance(value, str) else json.dumps(value, default=str))
    return shown if len(shown) <= 300 else f"{shown[:300]} [...]"
