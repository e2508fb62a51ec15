"""Health checks of a node, run by Slurm before and after jobs, and by a timer.

The step `health` of the node program copies it to `/opt/clusterwright/lib`. It does not import
that program: code that runs before every job should be small. Python 3.9, standard library only.
"""
