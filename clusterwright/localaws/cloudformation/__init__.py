"""Our CloudFormation: templates in, API calls out, with the states and events of AWS."""
