"""Copy finished checkpoints from a node's local disks to shared storage during training.

A job writes its part of a checkpoint to `<local>/<run>/<step>/` on each node and then, last, the
file `COMPLETE` in it: the number of nodes that write this checkpoint (empty: one), and after a
blank the attempt, where a job that starts again may write the same step again
(`16 $SLURM_RESTART_COUNT`). What happens then:

1. Each node copies its files to `<shared>/<run>/<step>@<attempt>.partial/`, each under another
   name first, then its manifest (`.manifest.<node>.json`: path, size, SHA-256).
2. The node that finds the manifests of all nodes writes `MANIFEST.json` and renames the folder to
   `<step>`: a checkpoint without `.partial` is always complete.
3. `<shared>/<run>/latest` is changed to point to the newest complete one.
4. Older checkpoints are removed according to the settings: local ones only when they are complete
   on shared storage, and never the newest on shared storage.

A node may be lost, or the program killed, between any two of these: the last complete checkpoint
stays usable, and the next run continues. The program acts as the user who owns the run's folder,
so that a symbolic link cannot lead to a file that the user may not read. Python 3.9,
standard library only.
"""
