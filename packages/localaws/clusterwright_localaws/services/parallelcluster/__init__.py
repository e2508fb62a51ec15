"""AWS ParallelCluster as far as the local AWS has it: the provider's template and the cluster.

The provider is AWS's own stack (`cloudformation/custom_resource/cluster.yaml` of
aws/aws-parallelcluster, read at 3.13.1): a Lambda function that runs ParallelCluster for a custom
resource. Here the custom resource's handler does the work, a configuration is judged by the
package itself in an environment of its own, and what stands afterwards are the roles, security
groups and instances of a cluster. docs/explanations/local-aws-differences.md says what is not.
"""
