"""Software that nodes need in addition to their image: a list with checksums, mirrored to the
cluster's bucket.

`lock` reads and writes the list, `download` downloads a file and compares it with the list,
`mirror` uploads missing files to the bucket. Nodes download only from this bucket.
"""

from __future__ import annotations

from clusterwright.artefacts.lock import UNKNOWN, Artefact, LockError, object_key, read_lock

__all__ = ["UNKNOWN", "Artefact", "LockError", "object_key", "read_lock"]
