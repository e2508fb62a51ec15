"""Publish the scheduler's view of the cluster, and carry out operators' requests (controller).

`docs/designs/operating.md` has the formats of the files in the cluster's bucket.
"""
