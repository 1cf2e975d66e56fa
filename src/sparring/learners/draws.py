"""Random numbers for your own compiled learners, from `words`, which is part of their memory."""

from sparring._random import arm as arm
from sparring._random import below as below
from sparring._random import uniform as uniform
