"""An example platform: Kubernetes on EC2 instances that EKS launches in node groups."""
