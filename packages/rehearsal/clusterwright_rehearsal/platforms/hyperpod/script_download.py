"""Downloads the lifecycle scripts of a group from S3, with the role of the instance."""

from __future__ import annotations

import threading
from typing import Any
from urllib.parse import urlsplit

from clusterwright_rehearsal.errors import RehearsalError


class Scripts:
    """Downloads folders from S3. Contents are cached; permissions are checked every time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._contents: dict[tuple[str, str, str], bytes] = {}

    def fetch(self, s3: Any, uri: str) -> dict[str, bytes]:
        """The files by path below the folder.

        Raises
        ------
        RehearsalError
            The URI is not in S3, the folder is empty, or S3 refuses; with the message of S3.
        """
        from botocore.exceptions import BotoCoreError, ClientError

        parts = urlsplit(uri)
        if parts.scheme != "s3":
            raise RehearsalError(f"{uri} is not an S3 URI")
        bucket, prefix = parts.netloc, parts.path.strip("/")
        prefix = f"{prefix}/" if prefix else ""
        found: dict[str, bytes] = {}
        try:
            pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
            for page in pages:
                for entry in page.get("Contents", ()):
                    name = entry["Key"].removeprefix(prefix)
                    if name and not name.endswith("/"):
                        found[name] = self._content(s3, bucket, entry["Key"], entry["ETag"])
        except (ClientError, BotoCoreError) as error:
            raise RehearsalError(f"{uri}: {error}") from error
        if not found:
            raise RehearsalError(f"{uri} is empty")
        return found

    def _content(self, s3: Any, bucket: str, key: str, tag: str) -> bytes:
        with self._lock:
            known = self._contents.get((bucket, key, tag))
        if known is not None:
            return known
        content: bytes = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
        with self._lock:
            self._contents[bucket, key, tag] = content
        return content
