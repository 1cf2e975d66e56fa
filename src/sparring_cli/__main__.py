"""python -m sparring_cli, for when the command is not on the path."""

import sys

from sparring_cli import main

sys.exit(main())
