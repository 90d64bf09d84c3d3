"""`python -m believable`."""

from believable.cli import main

if __name__ == "__main__":  # child processes import this module too
    main()
