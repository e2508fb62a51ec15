"""Emulation of the platforms on their nodes: HyperPod with Slurm, and ParallelCluster."""
