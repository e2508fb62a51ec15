"""The operating commands on the controller and on login nodes: `clusterwright status` and others.

The options, exit codes and JSON are those of the commands of the same names elsewhere
(`clusterwright/json_output`); what only AWS knows is unknown here. Acting needs root.
"""
