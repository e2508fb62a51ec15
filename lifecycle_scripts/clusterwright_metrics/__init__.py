"""The node's metrics for Prometheus, at `/metrics` of its own address.

The step `metrics` of the node program installs it as a service; it does not import that program.
Metrics are read at each scrape, within a time budget: a source that the node does not have has no
samples, and one that does not answer in time lacks only its own samples.
Python 3.9, standard library only.
"""
