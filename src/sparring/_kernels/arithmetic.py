"""Moved: this is `sparring._math` now."""

from sparring._math import LANES as LANES
from sparring._math import LN2_HIGH as LN2_HIGH
from sparring._math import LN2_LOW as LN2_LOW
from sparring._math import LOG2_E as LOG2_E
from sparring._math import ROUND_TO_INT as ROUND_TO_INT
from sparring._math import SMALL_EXPONENT as SMALL_EXPONENT
from sparring._math import fma as fma
from sparring._math import grow as grow
from sparring._math import grow_small as grow_small
from sparring._math import larger as larger
from sparring._math import power_by_bits as power_by_bits
from sparring._math import power_of_two as power_of_two
from sparring._math import series as series
from sparring._math import small_series as small_series
from sparring._math import smaller as smaller
from sparring._math import sum_lanes as sum_lanes
