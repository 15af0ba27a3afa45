"""The figures of structure search, one module each: what to run, and how to report it."""
