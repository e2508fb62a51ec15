"""Which data of metrics PutMetricData refuses.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricData.html,
API_MetricDatum.html and API_Dimension.html; texts as users quote them where they do,
else ours in the same form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.sagemaker.events import aware

_MOST_METRICS: Final = 1000
_MOST_VALUES: Final = 150
_LARGEST: Final = 2.0**360
_RESOLUTIONS: Final = (1, 60)
_OLDEST, _NEWEST = timedelta(weeks=2), timedelta(hours=2)
# "must include at least one non-whitespace character", "only ASCII characters", and no controls.
_TEXT: Final = re.compile(r"[ -~]*[!-~][ -~]*")
_RESERVED: Final = "AWS/"


def check_data(request: Mapping[str, Any], now: datetime) -> None:
    """Check the metrics of a request.

    Raises
    ------
    AwsError
        InvalidParameterValue, InvalidParameterCombination
    """
    data: Sequence[Mapping[str, Any]] = request.get("MetricData") or ()
    if str(request.get("Namespace", "")).startswith(_RESERVED):
        raise _invalid(f"The value {_RESERVED} for parameter Namespace is invalid.")
    _check_size("MetricData", data, _MOST_METRICS)
    for number, datum in enumerate(data, 1):
        name = f"MetricData.member.{number}"
        for other in ("Values", "StatisticValues"):
            if "Value" in datum and other in datum:
                raise AwsError(
                    "InvalidParameterCombination",
                    f"The parameters {name}.Value and {name}.{other} are mutually exclusive and "
                    "you have specified both.",
                )
        _check_size(f"{name}.Values", datum.get("Values") or (), _MOST_VALUES)
        _check_numbers(name, datum)
        _check_time(name, datum, now)
        for at, dimension in enumerate(datum.get("Dimensions") or (), 1):
            _check_dimension(f"{name}.Dimensions.member.{at}", dimension)


def _check_size(name: str, given: Sequence[Any], most: int) -> None:
    if len(given) > most:
        raise _invalid(f"The collection {name} must not have a size greater than {most}.")


def _check_numbers(name: str, datum: Mapping[str, Any]) -> None:
    for member, value in _numbers(datum):
        if abs(value) > _LARGEST:
            raise _invalid(f"The value {value} for parameter {name}.{member} is invalid.")
    resolution = datum.get("StorageResolution")
    if resolution is not None and resolution not in _RESOLUTIONS:
        raise _invalid(
            f"The value {resolution} for parameter {name}.StorageResolution is invalid."
        )


def _numbers(datum: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    if "Value" in datum:
        yield "Value", datum["Value"]
    for number, value in enumerate(datum.get("Values") or (), 1):
        yield f"Values.member.{number}", value
    for member, value in (datum.get("StatisticValues") or {}).items():
        yield f"StatisticValues.{member}", value


def _check_time(name: str, datum: Mapping[str, Any], now: datetime) -> None:
    given = datum.get("Timestamp")
    if not isinstance(given, datetime):
        return
    if not now - _OLDEST <= aware(given) <= now + _NEWEST:
        raise _invalid(
            f"The parameter {name}.Timestamp must specify a time no more than two weeks in the "
            "past and no more than two hours in the future."
        )


def _check_dimension(name: str, dimension: Mapping[str, Any]) -> None:
    for member in ("Name", "Value"):
        text = str(dimension[member])
        if not _TEXT.fullmatch(text) or (member == "Name" and text.startswith(":")):
            raise _invalid(f"The value {text} for parameter {name}.{member} is invalid.")


def _invalid(message: str) -> AwsError:
    return AwsError("InvalidParameterValue", message)
