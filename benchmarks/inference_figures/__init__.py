"""The figures of inference, one module each: what to run, and how to report it."""
