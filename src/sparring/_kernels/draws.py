"""Moved: this is `sparring._random` now."""

# ruff: noqa: F401
from sparring._random import BY_11 as BY_11
from sparring._random import CHENG as SURE
from sparring._random import LN4 as LN4
from sparring._random import STEP as STEP
from sparring._random import arm as arm
from sparring._random import below as below
from sparring._random import beta as beta
from sparring._random import next_word as next_word
from sparring._random import normals as normals
from sparring._random import power as power
from sparring._random import seeded as seeded
from sparring._random import uniform as uniform
