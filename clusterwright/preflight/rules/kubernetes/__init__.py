"""Kubernetes and EKS versions, add-ons and launch templates."""
