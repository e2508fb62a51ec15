"""AWS ParallelCluster."""
