"""Random numbers for your own compiled learners, from `words`, which is part of their memory."""

from sparring._kernels.draws import arm as arm
from sparring._kernels.draws import below as below
from sparring._kernels.draws import uniform as uniform
