"""The command `baytree`: one module per subcommand, a thin shell over the public Python API.

`options` has what several commands share; `models` reads networks and typed labels; `results`
checks outputs and prints summaries. A new option has the name of its parameter in Python.
"""
