"""What nodes need beyond their image: listed with checksums, mirrored to the cluster's bucket.

`lock` reads and writes the list, `download` brings one file and holds it against the list,
`mirror` puts what is missing into the bucket. Nodes fetch from there and nowhere else.
"""

from __future__ import annotations

from clusterwright.artefacts.lock import UNKNOWN, Artefact, LockError, object_key, read_lock

__all__ = ["UNKNOWN", "Artefact", "LockError", "object_key", "read_lock"]
