"""Moved: this is `sparring._random` now."""

# ruff: noqa: F401
from sparring._math import BIAS as BIAS
from sparring._math import BY_52 as BY_52
from sparring._math import FRACTION as FRACTION
from sparring._math import LN2 as LN2
from sparring._math import ONE as ONE
from sparring._math import ROOT_HALF as ROOT_HALF
from sparring._math import TO_FLOAT as TO_FLOAT
from sparring._math import bits_of as bits_of
from sparring._math import cosine_of as cosine_of
from sparring._math import float_of as float_of
from sparring._math import log_of as log_of
from sparring._math import sine_of as sine_of
from sparring._random import BIT_1 as BIT_1
from sparring._random import BY_12 as BY_12
from sparring._random import BY_17 as BY_17
from sparring._random import BY_19 as BY_19
from sparring._random import BY_23 as BY_23
from sparring._random import BY_41 as BY_41
from sparring._random import BY_45 as BY_45
from sparring._random import BY_63 as BY_63
from sparring._random import CHUNK as CHUNK
from sparring._random import HALF as HALF
from sparring._random import LANES as LANES
from sparring._random import QUARTER_TURN as QUARTER_TURN
from sparring._random import box_muller as box_muller
from sparring._random import circle as circle
from sparring._random import fill as fill
from sparring._random import fill_words as fill_words
from sparring._random import from_one as uniform
from sparring._random import lanes as lanes
from sparring._random import next_normals as next_normals
from sparring._random import next_words as next_words
from sparring._random import radius as radius
