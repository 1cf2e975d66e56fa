"""Moved: this is `sparring._random` now."""

from sparring._random import CLOSE as CLOSE
from sparring._random import LARGE as LARGE
from sparring._random import NODES as NODES
from sparring._random import ROOT_2PI as ROOT_2PI
from sparring._random import SHIFT as SHIFT
from sparring._random import STEPS as STEPS
from sparring._random import SURE as SURE
from sparring._random import WEIGHTS as WEIGHTS
from sparring._random import at_half as at_half
from sparring._random import bend as bend
from sparring._random import beyond as beyond
from sparring._random import chance as chance
from sparring._random import fraction as fraction
from sparring._random import integral as integral
from sparring._random import stirling as stirling
from sparring._random import unlikely as unlikely
