"""Signals that a wait condition waits for, as a client sends them.

Two ways lead here, as on AWS: a PUT of a small JSON document to the handle's URL, which is an
object of a bucket that CloudFormation keeps, and ``SignalResource``.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-waitcondition.html
https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_SignalResource.html
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

# The account of the bucket with the handles, which no caller uses.
KEEPER = "000000000000"
SUCCESS, FAILURE = "SUCCESS", "FAILURE"


@dataclass(frozen=True)
class Signal:
    """One signal; the first of an id counts, and a later one with the same id is ignored."""

    unique_id: str
    succeeded: bool
    reason: str
    data: str = ""


class Board:
    """The signals by ``SignalResource`` of one account and region, by stack and logical id."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: dict[tuple[str, str], dict[str, Signal]] = {}

    def send(self, stack_id: str, logical_id: str, signal: Signal) -> None:
        """Keep a signal, unless one with its id is there."""
        with self._lock:
            self._found.setdefault((stack_id, logical_id), {}).setdefault(signal.unique_id, signal)

    def of(self, stack_id: str, logical_id: str) -> list[Signal]:
        """Return the signals in the order in which they came."""
        with self._lock:
            return list(self._found.get((stack_id, logical_id), {}).values())


def board(account: str, region: str) -> Board:
    """Return the board of an account and region."""
    from clusterwright_localaws.core.runtime import runtime

    return runtime().store("cloudformation-signals", account, region, Board)


def new_handle(region: str, key: str) -> str:
    """Make room for the signals of one handle, and return the URL to put them to."""
    from clusterwright_localaws.core.runtime import runtime

    bucket = _bucket(region)
    s3 = _s3(region)
    where = {} if region == "us-east-1" else {"LocationConstraint": region}
    try:
        s3.head_bucket(Bucket=bucket)
    except s3.exceptions.ClientError:
        s3.create_bucket(Bucket=bucket, **({"CreateBucketConfiguration": where} if where else {}))
        # Every signal is kept, also of two that use one URL at the same time.
        s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    url: str = s3.generate_presigned_url("put_object", Params={"Bucket": bucket, "Key": key})
    _, _, query = url.partition("?")
    base = runtime().address
    host = f"{base}/{bucket}" if base else f"https://{bucket}.s3.{region}.amazonaws.com"
    return f"{host}/{quote(key, safe='/')}?{query}"


def of_handle(region: str, url: str) -> list[Signal]:
    """Return the signals that were put to a handle's URL, oldest first; malformed ones fail."""
    key = key_of(region, url)
    if key is None:
        return []
    s3, bucket = _s3(region), _bucket(region)
    found: dict[str, Signal] = {}
    answer = s3.list_object_versions(Bucket=bucket, Prefix=key)
    for version in reversed(answer.get("Versions", [])):
        body = s3.get_object(Bucket=bucket, Key=key, VersionId=version["VersionId"])["Body"]
        signal = read(body.read())
        found.setdefault(signal.unique_id, signal)
    return list(found.values())


def forget_handle(region: str, url: str) -> None:
    """Delete what was put to a handle's URL."""
    key = key_of(region, url)
    if key is None:
        return
    s3, bucket = _s3(region), _bucket(region)
    for version in s3.list_object_versions(Bucket=bucket, Prefix=key).get("Versions", []):
        s3.delete_object(Bucket=bucket, Key=key, VersionId=version["VersionId"])


def key_of(region: str, url: str) -> str | None:
    """Return the key of a handle's URL, or None if it is not such a URL."""
    from urllib.parse import unquote, urlsplit

    bucket = _bucket(region)
    parts = urlsplit(url)
    path = unquote(parts.path).lstrip("/")
    if (parts.hostname or "").startswith(f"{bucket}."):
        return path or None
    return path.removeprefix(f"{bucket}/") if path.startswith(f"{bucket}/") else None


def read(body: bytes) -> Signal:
    """Read the document of a signal: Status, UniqueId, Data and Reason.

    Unreadable signals are failures with a reason, so that the wait ends.
    """
    try:
        document: Mapping[str, Any] = json.loads(body)
        status = document["Status"]
        unique_id = str(document["UniqueId"])
    except (ValueError, KeyError, TypeError, UnicodeDecodeError):
        return Signal("malformed", False, "the signal is not JSON with Status and UniqueId")
    if status not in (SUCCESS, FAILURE):
        return Signal(unique_id, False, f"the signal's Status {status!r} is unknown")
    return Signal(
        unique_id,
        status == SUCCESS,
        str(document.get("Reason", "")),
        str(document.get("Data", "")),
    )


def _bucket(region: str) -> str:
    return f"cloudformation-waitcondition-{region}"


def _s3(region: str) -> Any:
    from clusterwright_localaws.core.boto_clients import client

    return client("s3", account=KEEPER, region=region)
