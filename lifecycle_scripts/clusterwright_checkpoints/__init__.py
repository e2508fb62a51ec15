"""Copies finished checkpoints from a node's local disks to shared storage, while training goes on.

A job writes its part of a checkpoint to `<local>/<run>/<step>/` on each node and then, last, the
file `COMPLETE` in it: the number of nodes that write this checkpoint (empty: one), and after a
blank the attempt, where a job that starts again may write the same step again
(`16 $SLURM_RESTART_COUNT`). What happens then:

1. Each node copies its files to `<shared>/<run>/<step>@<attempt>.partial/`, each under another
   name first, then its manifest (`.manifest.<node>.json`: path, size, SHA-256).
2. Who finds the manifests of all nodes writes `MANIFEST.json` and renames the folder to `<step>`:
   a checkpoint without `.partial` is whole, always.
3. `<shared>/<run>/latest` is made to point to the newest whole one.
4. Older checkpoints are removed, as far as the settings say: local ones only when they are whole
   on shared storage, shared ones never the newest.

A node may be lost, or the program killed, between any two of these: the last whole checkpoint
stays usable, and the next run goes on where this one stopped. Everything is done as the user who
owns the run's folder, so nobody's link leads to a file that they may not read. Python 3.9,
standard library only.
"""
