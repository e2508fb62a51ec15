"""One module per source: `collect(probe, metrics)` adds its samples.

`ROLES` are the roles of nodes that have the source. A source that the node does not have adds
nothing; one that does not answer raises `ProbeError`.
"""
