"""What scenario files import: the context, nodes, jobs, faults and training jobs."""
