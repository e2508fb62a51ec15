"""The local AWS: moto, plus the services and the CloudFormation that it lacks."""
