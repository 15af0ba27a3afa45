"""Run the demo: `python examples/digits`."""

from demo import main

main()
