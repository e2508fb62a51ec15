"""Watches for a Spot interruption notice, and lets jobs make a checkpoint while there is time.

EC2 shows the notice in the instance's metadata (`spot/instance-action`) two minutes before it
takes the instance, as a rule, and recommends to look every 5 seconds (EC2 user guide, "Spot
Instance interruption notices"). Whether a HyperPod node's metadata shows it is not documented.
With a notice

1. the node is drained in Slurm, so that no job starts on it any more;
2. every job on it that asks for it gets its signal: `sbatch --comment=spot=USR1` (or USR2, TERM).
   It goes to the batch script, as with `--signal=B:USR1@120`. Jobs that do not ask are left
   alone, because a script without a handler would be ended by it; when the node is gone they are
   put back into the queue like after any loss.

The place's next instance, which has no notice, puts the node back into use.

What has been done for a notice is written down, so nothing is sent twice. Python 3.9, standard
library only.
"""
