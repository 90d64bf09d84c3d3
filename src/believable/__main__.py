"""`python -m believable`."""

from believable.cli import main

main()
