"""The configuration of AWS ParallelCluster, made from a spec: pure, a plain dict.

    configuration = render(cluster, catalog, supplied)

`cluster` is the resolved spec of `platform: parallelcluster`, whose problems have been looked at
(`problems(cluster)` here, with the catalogue; `spec/consistency/parallelcluster.py` without it).
`supplied` is what only a deployment knows, see `Supplied`: every value of it is text and is put
into the result as it is, so a CDK token does as well as an id. `placeholders(cluster)` supplies
ids that satisfy the schema where nothing is deployed.

What stands for what
--------------------
* The controller is the head node, each login group a pool of login nodes.
* A partition is a queue of the same name, because queues are partitions (ParallelCluster's guide,
  "Cluster capacity size and update"); without `slurm.partitions` each compute group has one of
  its own. A compute group is a compute resource of its partition's queue, under its own name.
  Nodes are called `<queue>-<st|dy>-<compute resource>-<number>`.
* `count` instances always run (MinCount) unless `min_count` says fewer; up to `max_count` start
  when jobs ask for them (MaxCount, `count` if absent). Spares are left free in the reservation or
  block that the group is from: see `queues.counts`.
* On compute nodes runs `<scripts_s3_uri>/on_node_configured.sh`, after ParallelCluster has
  configured them, with the arguments `<scripts_s3_uri>/ <manifest_sha256> <group>`; where a queue
  has several groups `<group>=<group>` for each. The head node runs it so after an update. When
  they start, head node and login nodes run `<entry_s3_uri> <latest_s3_uri> latest <group>`, which
  never changes: ParallelCluster updates no cluster where it does.
* Home directories and Lustre file systems without EFA are mounted by ParallelCluster from the ids
  that are supplied; Lustre over EFA, buckets, users and all else are the node program's
  (`mounted_by_parallelcluster`, which `by_platform` of cluster.json says to it).

`takes_placement_group(group, catalog)` says which groups want a placement group: one that is
built for them is named in `Supplied.placement_group_names`, else ParallelCluster makes one.

`effects(before, after, ...)` says what a change of the configuration takes: see
`update_policies`.
"""
