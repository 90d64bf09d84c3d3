import sys

from believable.stats.coverage.run import main

if __name__ == "__main__":
    sys.exit(main())
