"""One thin module per AWS service: typed results, bounded retries, errors with a reason."""
