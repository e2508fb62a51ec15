"""SageMaker training plans."""
