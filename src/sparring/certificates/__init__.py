"""Certificates: an upper bound on your own regret, from logged duels alone."""

from sparring.certificates.certificate import Certificate
from sparring.certificates.checking import CouplingError
from sparring.certificates.columns import LogError
from sparring.certificates.logs import certify

__all__ = ["Certificate", "CouplingError", "LogError", "certify"]
