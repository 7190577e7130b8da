"""`python -m penstock.cli`, for where the penstock script is not on the path."""

from penstock.cli.program import main

main()
