"""ParallelCluster: `platform: parallelcluster`, with its configuration as a plain dict.

    configuration = document.render(cluster, catalog, supplied)

`cluster` is a resolved spec that `validation` and `release_validation` accept. `supplied.Supplied`
has the values of a deployment: all are text and are copied unchanged, so a CDK token works as well
as an id. `supplied.placeholders(cluster)` has ids that satisfy the schema, for use without a
deployment.

How the spec maps to the configuration
--------------------------------------
* The controller is the head node, each login group a pool of login nodes.
* A partition is a queue of the same name, because queues are partitions (ParallelCluster's guide,
  "Cluster capacity size and update"); without `slurm.partitions` each compute group has a separate
  one. A compute group is a compute resource of its partition's queue, with the same name. Nodes
  are called `<queue>-<st|dy>-<compute resource>-<number>`.
* `count` instances always run (MinCount) unless `min_count` is lower; up to `max_count` start
  for pending jobs (MaxCount, `count` if absent). Spares stay free in the group's reservation or
  block: see `queues.counts`.
* Compute nodes run `<scripts_s3_uri>/on_node_configured.sh` after ParallelCluster has
  configured them, with the arguments `<scripts_s3_uri>/ <manifest_sha256> <group>`; where a queue
  has several groups `<group>=<group>` for each. The head node does so after an update. At
  their start, head node and login nodes run `<entry_s3_uri> <latest_s3_uri> latest <group>`, which
  never changes: ParallelCluster refuses updates that change it.
* Home directories and Lustre file systems without EFA are mounted by ParallelCluster from the ids
  that are supplied; the node program does the rest: Lustre over EFA, buckets, users
  (`storage.mounted_by_parallelcluster`, which is `by_platform` in cluster.json).

`queues.takes_placement_group(group, catalog)` selects the groups with a placement group:
`Supplied.placement_group_names` has those that are built, else ParallelCluster creates one.

`update_policies.effects(before, after, ...)` returns what a change of the configuration requires.
"""
