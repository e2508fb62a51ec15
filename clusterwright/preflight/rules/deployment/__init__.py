"""The account, its CDK bootstrap and the state of the stacks."""
