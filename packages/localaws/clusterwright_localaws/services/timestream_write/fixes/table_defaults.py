"""moto answers an empty name of a table's measure key, and lacks a default.

A partition key of the type MEASURE has no name, and magnetic writes are off unless requested:
https://docs.aws.amazon.com/timestream/latest/developerguide/API_PartitionKey.html
https://docs.aws.amazon.com/timestream/latest/developerguide/API_MagneticStoreWriteProperties.html
"""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "Timestream: a table has a measure key without a name, and no magnetic writes, by default"
)
REPRODUCTION = """\
timestream = boto3.client("timestream-write")
timestream.create_database(DatabaseName="database")
table = timestream.create_table(DatabaseName="database", TableName="table")["Table"]
assert table["MagneticStoreWriteProperties"] == {"EnableMagneticStoreWrites": False}
assert table["Schema"]["CompositePartitionKey"] == [{"Type": "MEASURE"}]
"""


def apply() -> None:
    from moto.timestreamwrite.models import TimestreamTable

    initialise = TimestreamTable.__init__

    def __init__(self: Any, *arguments: Any, **named: Any) -> None:  # noqa: N807
        initialise(self, *arguments, **named)
        self.magnetic_store_write_properties.setdefault("EnableMagneticStoreWrites", False)
        self.schema = {
            **self.schema,
            "CompositePartitionKey": [
                {member: value for member, value in key.items() if value != ""}
                for key in self.schema.get("CompositePartitionKey", [])
            ],
        }

    TimestreamTable.__init__ = __init__  # type: ignore[method-assign]
