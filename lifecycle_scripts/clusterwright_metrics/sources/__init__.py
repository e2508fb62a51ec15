"""One file per surface: `collect(probe, metrics)` adds what there is.

`ROLES` are the roles of nodes that it is for. A surface that the node does not have adds nothing;
one that is there and does not answer raises `ProbeError`.
"""
