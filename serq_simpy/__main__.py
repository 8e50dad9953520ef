"""`python -m serq_simpy`: the `serq` command."""

from serq_simpy.cli import main

main()
