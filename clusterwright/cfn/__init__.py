"""CloudFormation's resource schemas, shared by the review and the local AWS."""
