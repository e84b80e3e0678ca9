"""The measures, one short file each; a new one requires its file and an import line here."""

from ir_measures_relative.measures.boot_ndcg import BootNDCG
from ir_measures_relative.measures.bounds import NDCGBound
from ir_measures_relative.measures.credits import credited
from ir_measures_relative.measures.imputed import Imputed
from ir_measures_relative.measures.med import MED
from ir_measures_relative.measures.nrg import NRG
from ir_measures_relative.measures.rareness import Rare, RareAP, RareP
from ir_measures_relative.measures.rbo import RBO
from ir_measures_relative.measures.rbp_residual import RBPResidual
from ir_measures_relative.measures.relative import (
    Base,
    Choice,
    Flag,
    GainTable,
    Number,
    Parameter,
    Prior,
    Reference,
    RelativeMeasure,
    Whole,
    cutoff_parameter,
    register,
    registry,
)
from ir_measures_relative.measures.tasc import TaSC
from ir_measures_relative.measures.unique_rel import UniqueRel
from ir_measures_relative.measures.upper_lower import UL, expected_random

__all__ = ["credited", "expected_random", *registry]
