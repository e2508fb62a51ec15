"""AWS ParallelCluster: the custom resource's provider template and the cluster.

The provider is AWS's own stack (`cloudformation/custom_resource/cluster.yaml` of
aws/aws-parallelcluster, read at 3.13.1): a Lambda function that runs ParallelCluster for a custom
resource. Here the custom resource's handler does this: the package validates a configuration in a
separate environment, and the handler creates the roles, security groups and instances of a
cluster. docs/explanations/local-aws-differences.md lists what is missing.
"""
