import sys

from validation.coverage.run import main

if __name__ == "__main__":
    sys.exit(main())
