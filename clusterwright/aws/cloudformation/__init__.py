"""CloudFormation: deployed stacks, their resources, change sets and drift."""
