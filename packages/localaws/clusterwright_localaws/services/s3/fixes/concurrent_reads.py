"""moto closes an object that is replaced while it is read, and reads it twice at the same time.

A read returns one version of an object as a whole:
https://docs.aws.amazon.com/AmazonS3/latest/userguide/Welcome.html#ConsistencyModel
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "S3: an object that is replaced or deleted while it is read is read to its end"


def apply() -> None:
    from moto.s3.models import FakeKey

    dispose = FakeKey.dispose
    etag: Any = FakeKey.etag

    def _dispose(self: Any, garbage: bool = False) -> None:
        if runtime().active and not garbage:
            self.disposed = True  # it is closed when nobody reads it any more
        else:
            dispose(self, garbage)

    def _etag(self: Any) -> str:
        if not runtime().active:
            return str(etag.fget(self))
        # Like moto's `value`, which reads the same file.
        with self.lock:
            return str(etag.fget(self))

    FakeKey.dispose = _dispose  # type: ignore[method-assign]
    FakeKey.etag = property(_etag)  # type: ignore[assignment]
