"""ParallelCluster: its Slurm configuration, custom actions and clustermgtd.

The behaviour on a real node is taken from the package aws-parallelcluster 3.16.1 and from the
public commits of aws-parallelcluster-cookbook; docs/designs/rehearsal.md lists the stubs.
"""
