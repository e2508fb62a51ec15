"""Watch for a Spot interruption notice, and signal jobs so that they can write a checkpoint.

EC2 shows the notice in the instance's metadata (`spot/instance-action`) two minutes before it
interrupts the instance, as a rule, and recommends a check every 5 seconds (EC2 user guide, "Spot
Instance interruption notices"). Whether a HyperPod node's metadata shows it is not documented.
With a notice

1. the node is drained in Slurm, so that no further job starts on it;
2. every job on it that requests a signal gets it: `sbatch --comment=spot=USR1` (or USR2, TERM).
   It goes to the batch script, as with `--signal=B:USR1@120`. Other jobs get no signal, because
   it would end a script without a handler; when the node is gone they are requeued as after any
   loss.

The next instance of the node, which has no notice, resumes the node.

The handling of a notice is recorded, so that no signal is sent twice. Python 3.9, standard
library only.
"""
