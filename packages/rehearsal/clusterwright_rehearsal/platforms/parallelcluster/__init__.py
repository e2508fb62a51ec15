"""ParallelCluster's part of a rehearsal: its Slurm, its custom actions, its clustermgtd.

Behind the local AWS's clusters as `hyperpod` is behind HyperPod's. What each part does on a real
node is read from the package aws-parallelcluster 3.16.1 and from the public commits of
aws-parallelcluster-cookbook; docs/designs/rehearsal.md lists what is a stand-in.
"""
