"""The only place that formats: results in, text, JSON, Markdown, SARIF or JUnit out."""
