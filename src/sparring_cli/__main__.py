"""python -m sparring_cli, where the command is not on the path."""

import sys

from sparring_cli import main

sys.exit(main())
