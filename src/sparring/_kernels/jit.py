"""Moved: this is `sparring._jit` now."""

from sparring._jit import JIT_OFF as JIT_OFF
from sparring._jit import SWITCHED_OFF as SWITCHED_OFF
from sparring._jit import Floats as Floats
from sparring._jit import Ints as Ints
from sparring._jit import Kernel as Kernel
from sparring._jit import compile_from_now_on as compile_from_now_on
from sparring._jit import compiled_as as compiled_as
from sparring._jit import compiling as compiling
from sparring._jit import inline as inline
from sparring._jit import kernel as kernel
from sparring._jit import online as online
from sparring._jit import outline as outline
from sparring._jit import ready as ready
from sparring._jit import watched as watched
