"""The explorer: a page on a network, served to the browser of the same machine.

`payloads` has every view as a pure function; `server` and `guards` know HTTP and nothing of
networks. Only public names of baytree are used.
"""
