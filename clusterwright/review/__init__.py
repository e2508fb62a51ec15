"""What a change means: to the spec, to each resource, to data, jobs, access, cost and quotas."""
