"""How long work runs: deadlines, threads, progress, memory."""
