"""`python -m teachgraph`."""

import sys

from teachgraph.cli import main

sys.exit(main())
