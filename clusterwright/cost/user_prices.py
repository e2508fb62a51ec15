"""A user's own prices and figures of use: `prices.yaml` beside the spec.

```yaml
rates:      # instead of the catalogue's prices; one entry per price
  - {instance_type: p5.48xlarge, kind: training-plan, region: us-east-1,
     usd: 45.77, unit: instance-hour, source: "plan prod-2027", date: 2026-11-01}
  - {service: kms, item: key, region: us-east-1, usd: 1.00, unit: key-month,
     source: "AWS KMS pricing page", date: 2026-11-01}
usage:      # quantities per month of what depends on use
  s3/Standard storage (first tier): 250000
```
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from clusterwright.catalog import PriceOverrideError, read_overrides
from clusterwright.spec.document import Document, kind_of
from clusterwright.spec.problems import Path, Problem, SpecErrors
from clusterwright.spec.suggest import did_you_mean

_KEYS: Final = ("rates", "usage")


@dataclass(frozen=True)
class UserPrices:
    """What a user states: `rates` as `catalog.load_catalog(prices_override=...)` takes them."""

    file: str | None = None
    rates: Any = None
    usage: Mapping[str, Decimal] = field(default_factory=dict)


def parse(document: Document) -> UserPrices:
    """The prices of a file that has been read.

    Raises
    ------
    SpecErrors
        Everything that is wrong with it, with positions.
    """
    problems = list(document.problems)
    problems += [
        _at(
            document,
            Problem(f"unknown key `{key}`", (key,), hint=did_you_mean(key, _KEYS), on_key=True),
        )
        for key in document.data
        if key not in _KEYS
    ]
    rates = document.data.get("rates")
    try:
        read_overrides(rates)
    except PriceOverrideError as error:
        problems += [_at(document, Problem(p.message, ("rates", *p.path))) for p in error.problems]
    usage, wrong = _usage(document)
    problems += wrong
    if problems:
        raise SpecErrors(problems)
    return UserPrices(document.file, rates, usage)


def _usage(document: Document) -> tuple[dict[str, Decimal], list[Problem]]:
    given = document.data.get("usage")
    here: Path = ("usage",)
    if given is None:
        return {}, []
    if not isinstance(given, dict):
        message = f"usage is a mapping of service/item to a quantity, this is {kind_of(given)}"
        return {}, [_at(document, Problem(message, here))]
    from clusterwright.cost.usage_items import USAGE_ITEMS

    problems = []
    usage = {}
    for key, value in given.items():
        path = (*here, key)
        if key not in USAGE_ITEMS:
            problem = Problem(
                f"nothing is charged as `{key}`",
                path,
                hint=did_you_mean(key, USAGE_ITEMS) or f"known: {', '.join(sorted(USAGE_ITEMS))}",
                on_key=True,
            )
            problems.append(_at(document, problem))
        elif isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
            message = f"a quantity of {USAGE_ITEMS[key].unit} per month, 0 or more, is wanted"
            problems.append(_at(document, Problem(message, path)))
        else:
            usage[key] = Decimal(str(value))
    return usage, problems


def _at(document: Document, problem: Problem) -> Problem:
    return problem.at(document.position(problem.path, on_key=problem.on_key))
