"""The EKS control plane, its add-ons and roles, shared by both platforms with Kubernetes."""
