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
"""One per request, in order: the value, or the AwsUnavailable in its place."""

Reading = Generator[Sequence[Ask], Answers, T]


@dataclass(frozen=True)
class Place:
    """Where facts are read: what ARNs are made of."""

    partition: str
    region: str
    account: str


class Fact(Generic[Result_co]):
    """Something true of an account in a region. Subclasses are frozen dataclasses of parameters.

    Most facts are the answer to one request: `function` is called with the parameters. The others
    have a `read`, which yields requests, all of which are sent at once, and receives their
    answers; it may yield again where later requests depend on earlier answers, and returns the
    value.
    """

    actions: ClassVar[tuple[str, ...]]
    """Every IAM action that reading the fact may need."""

    inventory: ClassVar[bool] = False
    """Whether it lists what the account has, so that an empty list is an answer: there is none."""

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
    """`Ask` as a call would be written."""
    return Ask(function, arguments)


def answered(answer: Any) -> Any:
    """The value of an answer. Raises AwsUnavailable where it is none."""
    if isinstance(answer, AwsUnavailable):
        raise answer
    return answer


class FactValues:
    """The result of reading: values and refusals, by fact."""

    def __init__(self, values: Mapping[Fact[Any], Any]) -> None:
        self._values = values

    def __getitem__(self, fact: Fact[T]) -> T:
        """The value of a fact that the rule declared.

        Raises
        ------
        AwsUnavailable
            AWS did not answer.
        KeyError
            The rule did not declare the fact: a bug.
        """
        value = self._values[fact]
        if isinstance(value, AwsUnavailable):
            raise value
        result: T = value
        return result

    def missing(self, facts: Sequence[Fact[Any]]) -> AwsUnavailable | None:
        """The first refusal among `facts`, or None where all are known."""
        return next(iter(self.refusals(facts)), None)

    def refusals(self, facts: Sequence[Fact[Any]]) -> tuple[AwsUnavailable, ...]:
        """Every refusal among `facts`; those with the same words once."""
        found: dict[str, AwsUnavailable] = {}
        for fact in facts:
            if isinstance(refusal := self._values[fact], AwsUnavailable):
                found.setdefault(refusal.message, refusal)
        return tuple(found.values())


NOTHING_READ = FactValues({})
