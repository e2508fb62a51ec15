"""moto fails to create a stream without a number of shards.

Such a stream has the mode ON_DEMAND with four shards: recorded on AWS (docs/reference/probes.md,
source `localstack`).
"""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = "Kinesis: a stream that is created without a number of shards has the mode ON_DEMAND"
REPRODUCTION = """\
kinesis = boto3.client("kinesis")
kinesis.create_stream(StreamName="s")
summary = kinesis.describe_stream_summary(StreamName="s")["StreamDescriptionSummary"]
assert summary["StreamModeDetails"] == {"StreamMode": "ON_DEMAND"}, summary
assert summary["OpenShardCount"] == 4, summary
"""


def apply() -> None:
    from moto.kinesis.models import KinesisBackend

    create = KinesisBackend.create_stream

    def create_stream(
        self: Any,
        stream_name: str,
        shard_count: int | None,
        stream_mode: dict[str, str] | None = None,
        retention_period_hours: int | None = None,
    ) -> Any:
        if shard_count is None and stream_mode is None:
            stream_mode = {"StreamMode": "ON_DEMAND"}
        return create(self, stream_name, shard_count, stream_mode, retention_period_hours)  # type: ignore[arg-type]

    KinesisBackend.create_stream = create_stream  # type: ignore[method-assign]
