"""What is to be computed: nodes, the table of ops, and the graph as a list."""
