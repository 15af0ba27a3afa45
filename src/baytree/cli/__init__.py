"""The command `baytree`: one module per subcommand, each a thin shell over the Python API."""
