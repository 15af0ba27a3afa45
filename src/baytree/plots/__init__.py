"""Pictures by matplotlib, which only the modules of this folder load."""
