"""Read a user's prices and usage: `prices.yaml` beside the spec.

```yaml
rates:      # precede the catalogue's prices; one entry per price
  - {instance_type: p5.48xlarge, kind: training-plan, region: us-east-1,
     usd: 45.77, unit: instance-hour, source: "plan prod-2027", date: 2026-11-01}
  - {service: kms, item: key, region: us-east-1, usd: 1.00, unit: key-month,
     source: "AWS KMS pricing page", date: 2026-11-01}
discounts:  # on list prices of a service; `hyperpod` and `ec2` are instances, `*` is everything
  - {service: hyperpod, percent: 12, source: "private pricing 2026", date: 2026-01-01}
savings_plans:
  - {instance_type: p5.48xlarge, covers: hyperpod-on-demand, region: us-east-1, usd: 45,
     commitment_usd_per_hour: 720, source: "SP-1", date: 2026-06-01}
purchases:  # training plans and capacity blocks, by ARN or reservation id, paid upfront
  - {id: "arn:aws:sagemaker:us-east-1:111122223333:training-plan/prod", instances: 16, hours: 720,
     upfront_usd: 527000, start: 2026-12-01, end: 2026-12-31, source: invoice, date: 2026-11-01}
support:    # the account's plan, by monthly spending, and other spending of the account
  {tiers: [{up_to_usd: 10000, percent: 10}, {percent: 5}], minimum_usd: 100,
   other_monthly_usd: 40000, source: "our plan", date: 2026-01-01}
usage:      # quantities of items charged by use: per month, or per node
  s3/Standard storage (first tier): 250000
  logs/ingestion: {per_node_hour: 0.02}
```
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, Literal

from clusterwright.catalog import PriceOverrideError, read_overrides
from clusterwright.cluster_spec.document import Document, kind_of
from clusterwright.cluster_spec.problems import Path, Problem, SpecErrors
from clusterwright.cluster_spec.suggest import did_you_mean
from clusterwright.cost import terms_reader
from clusterwright.cost.terms import Terms, Usage

_KEYS: Final = ("rates", *terms_reader.KEYS, terms_reader.SUPPORT, "usage")
_PER_NODE: Final[dict[str, Literal["node_hour", "node_month"]]] = {
    "per_node_hour": "node_hour",
    "per_node_month": "node_month",
}
LARGEST_QUANTITY: Final = Decimal(10) ** 18


@dataclass(frozen=True)
class UserPrices:
    """Prices and usage of a user; `rates` is for `load_catalog(prices_override=...)`."""

    file: str | None = None
    rates: Any = None
    usage: Mapping[str, Decimal | Usage] = field(default_factory=dict)
    terms: Terms = field(default_factory=Terms)


def parse(document: Document) -> UserPrices:
    """Parse a prices file.

    Raises
    ------
    SpecErrors
        All errors of the file, with positions.
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
    terms, wrong = terms_reader.read_terms(document.data)
    problems += [_at(document, problem) for problem in wrong]
    usage, wrong = _usage(document)
    problems += wrong
    if problems:
        raise SpecErrors(problems)
    return UserPrices(document.file, rates, usage, terms)


def _usage(document: Document) -> tuple[dict[str, Decimal | Usage], list[Problem]]:
    given = document.data.get("usage")
    here: Path = ("usage",)
    if given is None:
        return {}, []
    if not isinstance(given, dict):
        message = f"usage must be a mapping of service/item to a quantity, not {kind_of(given)}"
        return {}, [_at(document, Problem(message, here))]
    from clusterwright.cost.usage_items import USAGE_ITEMS

    problems = []
    usage: dict[str, Decimal | Usage] = {}
    for key, value in given.items():
        path = (*here, key)
        found = _figure(value)
        if key not in USAGE_ITEMS:
            problem = Problem(
                f"unknown item `{key}`",
                path,
                hint=did_you_mean(key, USAGE_ITEMS) or f"known: {', '.join(sorted(USAGE_ITEMS))}",
                on_key=True,
            )
            problems.append(_at(document, problem))
        elif found is None:
            message = (
                f"expected a quantity of {USAGE_ITEMS[key].unit} per month, 0 or more, "
                f"or {' or '.join(f'{{{name}: quantity}}' for name in _PER_NODE)}"
            )
            problems.append(_at(document, Problem(message, path)))
        else:
            usage[key] = found
    return usage, problems


def _figure(value: Any) -> Decimal | Usage | None:
    """A quantity per month or per node; None if invalid."""
    if isinstance(value, dict):
        if len(value) != 1:
            return None
        ((name, inner),) = value.items()
        quantity = _figure(inner)
        if name not in _PER_NODE or not isinstance(quantity, Decimal):
            return None
        return Usage(quantity, _PER_NODE[name])
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    found = terms_reader.amount(value)
    return found if found is not None and 0 <= found <= LARGEST_QUANTITY else None


def _at(document: Document, problem: Problem) -> Problem:
    return problem.at(document.position(problem.path, on_key=problem.on_key))
