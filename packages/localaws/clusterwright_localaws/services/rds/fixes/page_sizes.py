"""moto accepts pages of any size.

"Constraints: Minimum 20, maximum 100." of MaxRecords:
https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DescribeDBInstances.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "RDS: pages of fewer than 20 or more than 100 records are refused"
REPRODUCTION = """\
rds = boto3.client("rds")
try:
    rds.describe_db_instances(MaxRecords=19)
except rds.exceptions.ClientError as error:
    assert error.response["Error"]["Code"] == "InvalidParameterValue"
else:
    raise AssertionError("a page of 19 records is accepted")
"""
_PAGED: Final = (
    "describe_db_clusters",
    "describe_db_instances",
    "describe_db_parameter_groups",
    "describe_db_parameters",
    "describe_db_snapshots",
    "describe_db_subnet_groups",
    "describe_option_groups",
)
_LEAST_RECORDS, _MOST_RECORDS = 20, 100


def apply() -> None:
    from moto.rds.responses import RDSResponse

    for name in _PAGED:
        setattr(RDSResponse, name, _checked(getattr(RDSResponse, name)))


def _checked(in_moto: Callable[[Any], Any]) -> Callable[[Any], Any]:
    from moto.rds.exceptions import RDSClientError

    def describe(self: Any) -> Any:
        size = self.params.get("MaxRecords", _MOST_RECORDS)
        if runtime().active and not _LEAST_RECORDS <= size <= _MOST_RECORDS:
            raise RDSClientError(
                "InvalidParameterValue",
                f"Invalid value {size} for MaxRecords. Must be between {_LEAST_RECORDS} and "
                f"{_MOST_RECORDS}",
            )
        return in_moto(self)

    return describe
