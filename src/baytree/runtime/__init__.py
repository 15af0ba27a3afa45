"""Running work: deadlines, threads, Ctrl-C, progress, memory, seeds and files that appear whole.

Nothing here knows tables or networks.
"""
