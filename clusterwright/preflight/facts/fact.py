"""The base class of facts: requests to AWS, and the value computed from the answers."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession

Result_co = TypeVar("Result_co", covariant=True)
T = TypeVar("T")


@dataclass(frozen=True)
class Ask:
    """One request to AWS: a function of an `aws` module and its arguments, without the session.

    Equal requests are sent once per run.
    """

    function: Callable[..., Any]
    arguments: tuple[Hashable, ...] = ()

    def put(self, session: AwsSession) -> Any:
        return self.function(session, *self.arguments)


Answers = Sequence[Any]
"""One for each request, in order: the value or the AwsUnavailable."""

Reading = Generator[Sequence[Ask], Answers, T]


@dataclass(frozen=True)
class Place:
    """Account and region of the facts, the components of ARNs."""

    partition: str
    region: str
    account: str


class Fact(Generic[Result_co]):
    """A fact about an account in a region. Subclasses are frozen dataclasses of parameters.

    Most facts are the response to one request: `function` is called with the parameters. The
    others have a `read`, which yields requests, all sent at once, and receives their responses; it
    may yield again if later requests depend on earlier responses, and returns the value.
    """

    actions: ClassVar[tuple[str, ...]]
    """Every IAM action that reading the fact may need."""

    inventory: ClassVar[bool] = False
    """Whether it lists resources of the account, so that an empty list means that there are none.
    """

    resource: ClassVar[str | None] = None
    """The ARN, or a pattern of ARNs, to which IAM can limit `actions`: a format string of the
    fact's parameters and the attributes of `Place`."""

    function: ClassVar[Callable[..., Any]]
    """The function of an `aws` module that returns the value, for the fact's parameters."""

    def resources(self, place: Place) -> Mapping[str, str]:
        """For those of `actions` that IAM can limit to a resource: its ARN, or a pattern of them.

        The others are allowed on `*`. `--iam-policy` prints it.
        """
        if self.resource is None:
            return {}
        arn = self.resource.format_map({**vars(place), **vars(self)})
        return dict.fromkeys(self.actions, arn)

    def read(self) -> Reading[Result_co]:
        """The requests and, from their answers, the value."""
        (answer,) = yield [ask(type(self).function, *vars(self).values())]
        value: Result_co = answered(answer)
        return value


def ask(function: Callable[..., Any], *arguments: Hashable) -> Ask:
    """Return an `Ask` for a call."""
    return Ask(function, arguments)


def answered(answer: Any) -> Any:
    """Return the value of a response. Raises AwsUnavailable if it is an error."""
    if isinstance(answer, AwsUnavailable):
        raise answer
    return answer


class FactValues:
    """The result of reading facts: values and errors, by fact."""

    def __init__(self, values: Mapping[Fact[Any], Any]) -> None:
        self._values = values

    def __getitem__(self, fact: Fact[T]) -> T:
        """Return the value of a fact that the rule declared.

        Raises
        ------
        AwsUnavailable
            AWS did not answer.
        KeyError
            The rule did not declare the fact, which is an internal error.
        """
        value = self._values[fact]
        if isinstance(value, AwsUnavailable):
            raise value
        result: T = value
        return result

    def missing(self, facts: Sequence[Fact[Any]]) -> AwsUnavailable | None:
        """Return the first error of `facts`, or None if all are known."""
        return next(iter(self.refusals(facts)), None)

    def refusals(self, facts: Sequence[Fact[Any]]) -> tuple[AwsUnavailable, ...]:
        """Return every error of `facts`; equal messages once."""
        found: dict[str, AwsUnavailable] = {}
        for fact in facts:
            if isinstance(refusal := self._values[fact], AwsUnavailable):
                found.setdefault(refusal.message, refusal)
        return tuple(found.values())


NOTHING_READ = FactValues({})
