"""Which metrics and expressions of an alarm CloudWatch refuses.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDataQuery.html; texts
as users quote them where they do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from clusterwright_localaws.core.errors import AwsError

_MOST_OF_A_KIND: Final = 10
# https://github.com/aws/aws-cdk/issues/26674, about the form of an id
_WRONG: Final = "Invalid metrics list"
_ID: Final = re.compile(r"[a-z][A-Za-z0-9_]*")


def check_queries(queries: Sequence[Mapping[str, Any]], threshold_id: str | None) -> None:
    """Check the metrics of an alarm, of which it watches one.

    Parameters
    ----------
    threshold_id:
        The id of the band of an anomaly detector, which returns data too.

    Raises
    ------
    AwsError
        ValidationError
    """
    ids = [str(one["Id"]) for one in queries]
    for name in ids:
        if not _ID.fullmatch(name):
            raise _invalid(_WRONG)
    if len({*ids}) < len(ids):
        # The text is that about ids of another form.
        raise _invalid(_WRONG)
    for one in queries:
        if ("Expression" in one) == ("MetricStat" in one):
            raise _invalid(f"Exactly one of Expression and MetricStat is needed in {one['Id']}.")
    for kind in ("Expression", "MetricStat"):
        if sum(kind in one for one in queries) > _MOST_OF_A_KIND:
            raise _invalid(f"An alarm has at most {_MOST_OF_A_KIND} queries with {kind}.")
    if threshold_id is not None and threshold_id not in ids:
        raise _invalid(f"There is no expression with the id {threshold_id}.")
    returned = [one for one in queries if one.get("ReturnData", True)]
    watched = [one for one in returned if one["Id"] != threshold_id]
    if len(watched) != 1 and threshold_id is None:
        raise _invalid("Exactly one element of the metrics list should return data.")


def _invalid(message: str) -> AwsError:
    return AwsError("ValidationError", message)
