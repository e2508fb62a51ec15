"""SageMaker HyperPod with Amazon EKS."""
