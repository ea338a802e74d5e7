"""`python -m teachgraph`."""

import sys

from teachgraph_command import main

sys.exit(main())
