"""KeyboardInterrupt at a chosen moment of a call: before its n-th bytecode."""

import re
import sys

from sparring import _jit

# Kernels: their Python, with the JIT off, has too many bytecodes to try them all.
ROUNDS = {text.__code__ for text in (_jit._ask, _jit._tell, _jit._play)}
FILES = re.compile(r"[/\\]_(?!jit)[a-z]\w*\.py$")
STRIDE = 97


class Interrupter:
    """Traces one call, and raises KeyboardInterrupt at the n-th moment, counted from 1.

    Stricter than signals: Python runs their handlers at some of the bytecodes only.
    """

    def __init__(self, n):
        self.left, self.lines, self.kernels = n, 0, set(ROUNDS)

    @classmethod
    def moments(cls, function, *arguments):
        """How many moments a call has."""
        never = cls(0)
        never.call(function, *arguments)
        return -never.left

    def call(self, function, *arguments):
        """Whether the call was interrupted; otherwise it was over before."""
        others = sys.gettrace()
        sys.settrace(self._enter)
        try:
            function(*arguments)
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(others)
        return False

    def _enter(self, frame, event, arg):
        if frame.f_back is not None and frame.f_back.f_code in self.kernels:
            self.kernels.add(frame.f_code)
        if frame.f_code in self.kernels or FILES.search(frame.f_code.co_filename):
            return self._kernel
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self._count

    def _count(self, frame, event, arg):
        if event == "opcode":
            self._moment()
        return self._count

    def _kernel(self, frame, event, arg):
        self.lines += 1
        if self.lines % STRIDE == 0:
            self._moment()
        return self._kernel

    def _moment(self):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def let_go(one):
    """Release a lock that `with` has just taken: a trace comes there, a signal does not.

    From Python 3.14 on a signal may come there, too; `learners.frame` says what that means.
    """
    while one._lock._is_owned():
        one._lock.release()
