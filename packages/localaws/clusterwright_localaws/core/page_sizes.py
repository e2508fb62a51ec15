"""Lengths of pages by the API models: what a call gets that states none, and the longest page.

The models have both only in the documentation of members and operations, in a few forms of words.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from clusterwright_localaws.core.page_tokens import tokens_of
from clusterwright_localaws.core.paging_model import Paging, members_of, paging_of

_MARKUP: Final = re.compile(r"<[^>]+>")
_NUMBER: Final = r"(\d[\d,]*)(?![\d-])"
_DEFAULT: Final = re.compile(
    rf"\bdefault(?:s|ed)?(?: value| number| maximum value)?(?: is| to| of|:) (?:up to )?{_NUMBER}"
    rf"|\breturns (?:up to )?{_NUMBER} (?:results|items|configurations|versions|extensions)"
    rf"|\bdon't use this parameter, {_NUMBER} results\b"
    rf"|\bnot specified, up to {_NUMBER} results\b"
    rf"|\bBy default,? [^.]{{0,80}}\b(?:returns?|at most|up to) {_NUMBER} results\b"
    rf"|\bthe limit is {_NUMBER}\b",
    re.IGNORECASE,
)
_MAXIMUM: Final = re.compile(
    rf"\bmaximum (?:value )?(?:allowed page size )?(?:that you can specify )?(?:is|of) {_NUMBER}\b"
    rf"|\b(?:must|can) be between \d+ and {_NUMBER}\b"
    rf"|\b(?:only {_NUMBER} items|at most {_NUMBER} results are returned)\b"
    rf"|\breturns a maximum of {_NUMBER} items\b"
    rf"|\bminimum \d+, maximum {_NUMBER}\b"
    rf"|\blarger value than {_NUMBER}\b"
    rf"|\bgreater than {_NUMBER}, at most\b",
    re.IGNORECASE,
)
# Of operations whose calls cannot state a length, and of some whose calls can.
_OF_OPERATION: Final = re.compile(
    rf"\blimited list of \w+, up to {_NUMBER}\b"
    rf"|\bup to {_NUMBER} results (?:are returned for any one call|on one page)"
    rf"|\bmaximum number of results per page for requests is {_NUMBER}\b"
    rf"|\bpaginated at {_NUMBER} per page\b",
    re.IGNORECASE,
)
# Their size counts something else than the items of the list.
_OTHER_SIZES: Final = frozenset({("cloudwatch", "GetMetricData")})
# "You must set MaxResults to receive a value for NextToken": their API models.
_WHOLE_UNLESS_ASKED: Final = frozenset({("sqs", "ListQueues")})
# Lists that are answered in pages although their documentation names no default.
OTHER_DEFAULTS: Final = {
    ("ec2", "DescribeLaunchTemplates"): 200,
    ("ec2", "DescribeLaunchTemplateVersions"): 200,
}
# All items are answered to calls that state no length, if the documentation names no default.
# https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-pagination.html
_WHOLE: Final = frozenset({"ec2"})


@dataclass(frozen=True)
class PageSize:
    """The number of items in a page of an operation; None where AWS documents none.

    `default` is that of calls that state none, `maximum` that of all calls.
    """

    default: int | None
    maximum: int | None


def asked_length(service: str, operation: str, parameters: Mapping[str, Any]) -> int | None:
    """Return the most items that the answer to a call may have; None without a limit."""
    paging = paging_of(service, operation)
    if paging is None or (service, operation) in _OTHER_SIZES:
        return None
    if tokens_of(service, operation) is None:  # its tokens are names, which the caller may use
        return None
    size = page_size(service, operation)
    stated = parameters.get(paging.size) if paging.size else None
    if isinstance(stated, int) and stated > 0:
        return min(stated, size.maximum or stated)
    if (service, operation) in _WHOLE_UNLESS_ASKED:
        return None
    return OTHER_DEFAULTS.get((service, operation), size.default)


@functools.cache
def page_size(service: str, operation: str) -> PageSize:
    """Return the documented lengths of an operation's pages.

    Raises
    ------
    LookupError
        There is no such service or operation.
    """
    paging = paging_of(service, operation)
    model, given, _ = members_of(service, operation)
    if paging is None:
        return PageSize(None, None)
    of_operation = _number(_OF_OPERATION, _text(model["operations"][operation]))
    if paging.size is None or paging.size not in given:
        return PageSize(of_operation, of_operation)
    return _of_member(service, model, given, paging, of_operation)


def _of_member(
    service: str,
    model: Mapping[str, Any],
    given: Mapping[str, Any],
    paging: Paging,
    of_operation: int | None,
) -> PageSize:
    member = given[str(paging.size)]
    shape = model["shapes"][member["shape"]]
    text = _text(member) or _text(shape)
    limits = [_number(_MAXIMUM, text), of_operation, shape.get("max")]
    maximum = min((int(limit) for limit in limits if limit is not None), default=None)
    default = _number(_DEFAULT, text)
    if default is None and service not in _WHOLE:
        default = maximum
    if default is not None and maximum is not None:
        default = min(default, maximum)
    return PageSize(default, maximum)


def _text(described: Mapping[str, Any]) -> str:
    return " ".join(_MARKUP.sub(" ", described.get("documentation", "")).split())


def _number(form: re.Pattern[str], text: str) -> int | None:
    found = form.search(text)
    return int(found[found.lastindex or 0].replace(",", "")) if found else None
