"""AWS PCS: the hidden controller, compute node groups, and the agent of its instances.

Sources: the API model (botocore 1.44.5, `pcs` 2023-02-10) and the PCS user guide
(cng-node-lifecycle-actions); docs/designs/rehearsal.md lists what differs.
"""
