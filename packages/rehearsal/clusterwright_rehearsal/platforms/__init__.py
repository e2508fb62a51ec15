"""What each platform does on its nodes: HyperPod with Slurm, and ParallelCluster."""
