"""The node's metrics for Prometheus, at `/metrics` of its own address.

Installed and kept running by the step `metrics` of the node program, and kept free of that
program's modules. Everything is read when somebody asks, within a time budget: a surface that is
missing has no samples, and one that does not answer in time costs its own samples and no others.
Python 3.9, standard library only.
"""
