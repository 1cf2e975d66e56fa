"""Moved: this is `sparring._math` now."""

from sparring._math import apartness as apartness
from sparring._math import apartness_loop as apartness_loop
from sparring._math import blend as blend
from sparring._math import blend_loop as blend_loop
from sparring._math import draw_apart as draw_apart
from sparring._math import draw_apart_loop as draw_apart_loop
from sparring._math import first_block as first_block
from sparring._math import first_block_loop as first_block_loop
from sparring._math import spread as spread
from sparring._math import spread_little as spread_little
from sparring._math import spread_little_loop as spread_little_loop
from sparring._math import spread_loop as spread_loop
from sparring._math import steps_below as steps_below
from sparring._math import steps_below_loop as steps_below_loop
from sparring._math import sum_blocks as sum_blocks
from sparring._math import sum_blocks_loop as sum_blocks_loop
