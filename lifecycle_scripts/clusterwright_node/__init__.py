"""The node program: configures a node of a Slurm cluster from the cluster's files.

Standard library only, Python 3.9. The files it reads are described in
docs/reference/node-files.md.
"""
