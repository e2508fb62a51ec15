"""moto lists no DB parameter group where the named one does not exist.

https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DescribeDBParameterGroups.html
"""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "RDS: DescribeDBParameterGroups of a name that does not exist is DBParameterGroupNotFound"
)
REPRODUCTION = """\
rds = boto3.client("rds")
try:
    rds.describe_db_parameter_groups(DBParameterGroupName="none")
except rds.exceptions.DBParameterGroupNotFoundFault:
    pass
else:
    raise AssertionError("the group exists")
"""


def apply() -> None:
    from moto.rds.exceptions import RDSClientError
    from moto.rds.models import RDSBackend

    describe = RDSBackend.describe_db_parameter_groups

    def describe_db_parameter_groups(self: Any, db_parameter_group_kwargs: Any) -> Any:
        found = describe(self, db_parameter_group_kwargs)
        name = db_parameter_group_kwargs.get("db_parameter_group_name")
        # The groups of the defaults exist without being created; moto has none of them.
        if name and not found and not name.startswith("default."):
            raise RDSClientError("DBParameterGroupNotFound", f"DBParameterGroup not found: {name}")
        return found

    RDSBackend.describe_db_parameter_groups = describe_db_parameter_groups  # type: ignore[method-assign]
