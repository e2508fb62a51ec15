"""Is this node fit for a job? Run by Slurm around jobs, by a timer between them.

Copied to `/opt/clusterwright/lib` by the step `health` of the node program, and kept free of that
program's modules: what stands in the way of every job should be small. Python 3.9, standard
library only.
"""
