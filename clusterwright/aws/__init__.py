"""One thin module per AWS service: typed results, bounded retries, errors that can be told apart."""
