"""What can go wrong on a node, always with a cause and with what to do about it."""

from __future__ import annotations

from collections.abc import Sequence


class NodeError(Exception):
    """A failure with a cause and a hint. The cause says what was found, the hint what to do."""

    def __init__(self, cause: str, hint: str) -> None:
        super().__init__(cause)
        self.cause = cause
        self.hint = hint


class InputsError(NodeError):
    """The files beside the scripts are wrong, or contradict each other. Holds every problem
    found.
    """

    def __init__(self, problems: Sequence[str], hint: str | None = None) -> None:
        super().__init__("; ".join(problems), hint or "correct the spec and deploy again")
        self.problems = tuple(problems)


class StepError(NodeError):
    """A step cannot reach its goal. `transient` ones are tried again until retries or time run
    out.
    """

    def __init__(self, cause: str, hint: str, transient: bool = False) -> None:
        super().__init__(cause, hint)
        self.transient = transient


class CommandError(StepError):
    """A command that should have worked did not. Transient: package locks and slow services
    pass.
    """

    def __init__(self, cause: str, hint: str = "see the command's output in the cause") -> None:
        super().__init__(cause, hint, transient=True)


class Overtime(StepError):
    """The deadline of a step has passed."""

    def __init__(self, seconds: float, waiting_for: str, hint: str) -> None:
        super().__init__(f"not done after {seconds:g} s: {waiting_for}", hint)
