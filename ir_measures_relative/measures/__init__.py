"""The measures, one short file each; a new one needs its file and its line here."""

from ir_measures_relative.measures.base import RelativeMeasure, registry
from ir_measures_relative.measures.nrg import NRG, UniqueRel
from ir_measures_relative.measures.tasc import TaSC

__all__ = ["NRG", "RelativeMeasure", "TaSC", "UniqueRel", "registry"]
