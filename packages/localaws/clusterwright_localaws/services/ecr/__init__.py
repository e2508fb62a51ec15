"""Amazon ECR."""
