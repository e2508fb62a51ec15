"""moto lists option groups only where a name is given.

"OptionGroupName ... Required: No":
https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DescribeOptionGroups.html
"""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = "RDS: DescribeOptionGroups without a name lists the groups, of an engine too"
REPRODUCTION = """\
rds = boto3.client("rds")
assert rds.describe_option_groups()["OptionGroupsList"] == []
rds.create_option_group(
    OptionGroupName="group",
    EngineName="mysql",
    MajorEngineVersion="8.0",
    OptionGroupDescription="description",
)
assert len(rds.describe_option_groups()["OptionGroupsList"]) == 1
"""
_FILTERS = ("option_group_name", "engine_name", "major_engine_version")


def apply() -> None:
    from moto.rds.exceptions import OptionGroupNotFoundFaultError
    from moto.rds.models import RDSBackend

    describe = RDSBackend.describe_option_groups

    def describe_option_groups(self: Any, option_group_kwargs: Any) -> Any:
        filters = {name: option_group_kwargs.get(name) for name in _FILTERS}
        try:
            return describe(self, filters)
        except OptionGroupNotFoundFaultError:
            if filters["option_group_name"]:
                raise
            return []

    RDSBackend.describe_option_groups = describe_option_groups  # type: ignore[method-assign]
