"""The node program: makes one HyperPod node what the cluster's files say it is.

Standard library only, Python 3.9. The files it reads are described in
docs/reference/node-files.md.
"""
