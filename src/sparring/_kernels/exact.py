"""Moved: these are `exact_fma`, `exact_grow` and `exact_log_of` of `sparring._math` now."""

from sparring._math import exact_fma, exact_grow, exact_log_of, split_fma

fma, grow, log_of = exact_fma, exact_grow, exact_log_of
__all__ = ["fma", "grow", "log_of", "split_fma"]
