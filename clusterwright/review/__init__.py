"""Review of a change: its effect on the spec, resources, data, jobs, access, cost and quotas."""
