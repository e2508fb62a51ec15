"""Runs one probe: its calls, the comparison with what AWS answers, and the deletion at the end."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from clusterwright_localaws.probes import expectations
from clusterwright_localaws.probes.calls import Answer, Caller, NoAnswer, can_be_tagged, tagged
from clusterwright_localaws.probes.library import operations
from clusterwright_localaws.probes.model import Call, Probe, Refusal, Step, Undo

Verdict = Literal["same", "different", "unknown", "not_tried"]

# Errors that say nothing about the behaviour under test: permissions, credentials, load, opt-ins.
_SAYS_NOTHING: Final = re.compile(
    r"(AccessDenied(Exception)?|UnauthorizedOperation|Client\.UnauthorizedOperation|AuthFailure"
    r"|ExpiredToken(Exception)?|InvalidClientTokenId|UnrecognizedClientException"
    r"|InvalidAccessKeyId|SignatureDoesNotMatch|OptInRequired|SubscriptionRequiredException"
    r"|Throttling(Exception)?|ThrottledException|RequestLimitExceeded|TooManyRequestsException"
    r"|SlowDown|RequestThrottled|ServiceUnavailable|InternalError|InternalFailure"
    r"|InternalServerError|InternalServiceError|503|500)"
)
# Answers to a deletion of what is gone already.
_GONE: Final = re.compile(
    r"NotFound|NoSuch|NotExist|does not exist|not found|^404$|is pending deletion", re.IGNORECASE
)
DELETION_TIMEOUT_S: Final = 120.0
_LONGEST_PAUSE_S: Final = 5


@dataclass(frozen=True)
class Difference:
    """One thing that an endpoint answers otherwise than AWS; step numbers count from 1."""

    step: int
    operation: str
    member: str
    expected: str
    answered: str


@dataclass
class Result:
    """What became of one probe; `left_behind` names what could not be deleted."""

    probe: Probe
    verdict: Verdict
    reason: str = ""
    differences: list[Difference] = field(default_factory=list)
    left_behind: list[str] = field(default_factory=list)


class Interrupted(Exception):
    """The user asked to stop; nothing more is created."""


@dataclass
class Clock:
    """Time and pauses; tests replace them."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


@dataclass
class _Made:
    """A call that created something, and what deletes it."""

    call: Call
    undo: Undo
    names: Mapping[str, Any]


class ProbeRun:
    """One probe against one endpoint.

    Parameters
    ----------
    names:
        Values that probes use: `account`, `region` and `run`.
    stopped:
        Returns whether the user asked to stop; asked before every call that is not a deletion.
    deletion_timeout_s:
        How long a deletion is tried again, or awaited, while the endpoint refuses it.
    """

    def __init__(
        self,
        probe: Probe,
        caller: Caller,
        names: Mapping[str, Any],
        *,
        stopped: Callable[[], bool] = lambda: False,
        clock: Clock | None = None,
        deletion_timeout_s: float = DELETION_TIMEOUT_S,
    ) -> None:
        self._probe = probe
        self._caller = caller
        self._names: dict[str, Any] = {**names}
        self._stopped = stopped
        self._clock = clock or Clock()
        self._deletion_timeout_s = deletion_timeout_s
        self._made: list[_Made] = []
        self._result = Result(probe, "same")

    def run(self) -> Result:
        """Run every step, then delete what they created, whatever happened.

        Raises
        ------
        Interrupted
            The user asked to stop; what was created is deleted. `.result` is the part that ran.
        """
        interrupted: Interrupted | None = None
        try:
            for number, step in enumerate(self._probe.steps, 1):
                if not self._step(number, step):
                    break
        except Interrupted as error:
            interrupted = error
            self._result.verdict, self._result.reason = "not_tried", "interrupted"
        finally:
            self._delete()
        if self._result.verdict == "same" and self._result.differences:
            self._result.verdict = "different"
        if interrupted is not None:
            interrupted.args = (self._result,)
            raise interrupted
        return self._result

    def _step(self, number: int, step: Step) -> bool:
        """Run a step; return whether the next one can run."""
        try:
            call = self._filled(step)
        except expectations.UnknownName as error:
            return self._unknown(f"step {number} needs {error}, which no answer has")
        try:
            answer = self._answer(call, step)
        except NoAnswer as error:
            self._note_possible_leftover(call)
            return self._unknown(f"step {number}, {call}: {error}")
        refused = answer.code is not None
        if refused and _SAYS_NOTHING.fullmatch(str(answer.code)) and not _expects(step, answer):
            return self._unknown(f"step {number}, {call}: {answer.code}: {answer.message}")
        if step.error is not None:
            self._compare_error(number, call, step.error, answer)
            return True
        if refused:
            self._differs(number, call, "error", "none", f"{answer.code}: {answer.message}")
            return False
        for path, expected, found in expectations.unmet(
            {**step.until, **step.answer}, answer.members, self._names
        ):
            self._differs(number, call, path, expected, _text(found))
        for name, path in step.save.items():
            saved = expectations.member(path, answer.members)
            if saved is None:
                self._differs(number, call, path, "present", "absent")
                return False
            self._names[name] = saved
        return True

    def _filled(self, step: Step) -> Call:
        parameters = expectations.filled(step.call.parameters, self._names)
        call = step.call.model_copy(update={"parameters": parameters})
        return call if step.untagged else tagged(call, str(self._names["run"]))

    def _answer(self, call: Call, step: Step) -> Answer:
        """Call once, or until what `until` names holds."""
        until = self._clock.now() + step.wait_s
        pause = 0.05
        while True:
            answer = self._call(call)
            if not step.until or answer.code is not None:
                return answer
            if not list(expectations.unmet(step.until, answer.members, self._names)):
                return answer
            if self._clock.now() > until:
                return answer
            self._clock.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)

    def _call(self, call: Call) -> Answer:
        if self._stopped():
            raise Interrupted
        row = operations().get(str(call))
        answer = self._caller(call)
        if answer.code is None and row is not None and row.undo is not None:
            names = {**self._names, "request": call.parameters, "answer": answer.members}
            self._made.append(_Made(call, row.undo, names))
        return answer

    def _compare_error(self, number: int, call: Call, expected: Refusal, answer: Answer) -> None:
        if answer.code is None:
            wanted = expectations.described(expected.code, self._names)
            self._differs(number, call, "error", wanted, "accepted")
            return
        pairs: list[tuple[str, Any, Any]] = [("error code", expected.code, answer.code)]
        if expected.message is not None:
            pairs.append(("error message", expected.message, answer.message))
        if expected.status is not None:
            pairs.append(("HTTP status", expected.status, answer.status))
        for member, wanted, found in pairs:
            if not expectations.holds(wanted, found, self._names):
                self._differs(
                    number, call, member, expectations.described(wanted, self._names), _text(found)
                )

    def _differs(self, number: int, call: Call, member: str, expected: str, found: str) -> None:
        self._result.differences.append(Difference(number, str(call), member, expected, found))

    def _unknown(self, reason: str) -> bool:
        self._result.verdict, self._result.reason = "unknown", reason
        return False

    def _note_possible_leftover(self, call: Call) -> None:
        """A call without an answer may have created something that only its tag finds."""
        row = operations().get(str(call))
        if row is None or row.undo is None:
            return
        names = {**self._names, "request": call.parameters, "answer": {}}
        try:
            expectations.filled(row.undo.parameters, names)
        except expectations.UnknownName:
            tag = f", tag localaws-verify={self._names['run']}" if can_be_tagged(call) else ""
            self._result.left_behind.append(f"perhaps what {call} created{tag}")
        else:
            self._made.append(_Made(call, row.undo, names))

    def _delete(self) -> None:
        """Delete what was created, the last first."""
        for made in reversed(self._made):
            problem = self._undo(made)
            if problem is not None:
                self._result.left_behind.append(f"what {made.call} created: {problem}")

    def _undo(self, made: _Made) -> str | None:
        try:
            call = _call_of(made.undo.call, made.undo.parameters, made.names)
        except expectations.UnknownName as error:
            return f"its {error} is not in the answer"
        until = self._clock.now() + self._deletion_timeout_s
        pause = 0.05
        while True:
            problem = self._deletion_problem(call)
            if problem is None:
                return self._wait_until_deleted(made, until)
            if self._clock.now() > until:
                return f"{call}: {problem}"
            self._clock.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)

    def _deletion_problem(self, call: Call) -> str | None:
        try:
            answer = self._caller(call)
        except NoAnswer as error:
            return str(error)
        if answer.code is None or _GONE.search(answer.code) or _GONE.search(answer.message):
            return None
        return f"{answer.code}: {answer.message}"

    def _wait_until_deleted(self, made: _Made, until: float) -> str | None:
        if made.undo.wait is None:
            return None
        call = _call_of(made.undo.wait, made.undo.wait_parameters, made.names)
        pause = 0.05
        while True:
            problem = "no answer"
            try:
                answer = self._caller(call)
                if answer.code is not None:
                    if _GONE.search(answer.code) or _GONE.search(answer.message):
                        return None
                    problem = f"{answer.code}: {answer.message}"
                elif not (
                    left := list(expectations.unmet(made.undo.until, answer.members, made.names))
                ):
                    return None
                else:
                    problem = f"{left[0][0]} is {_text(left[0][2])}"
            except NoAnswer as error:
                problem = str(error)
            if self._clock.now() > until:
                return f"{call}: {problem}"
            self._clock.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)


def _call_of(name: str, parameters: Mapping[str, Any], names: Mapping[str, Any]) -> Call:
    service, _, operation = name.partition(".")
    return Call(
        service=service, operation=operation, parameters=expectations.filled(parameters, names)
    )


def _expects(step: Step, answer: Answer) -> bool:
    """Return whether an error is the one that the step is about."""
    return step.error is not None and expectations.holds(step.error.code, answer.code, {})


def _text(value: Any) -> str:
    if value is None:
        return "absent"
    shown = value if isinstance(value, str) else repr(value)
    return shown if len(shown) <= 600 else f"{shown[:600]} [...]"
