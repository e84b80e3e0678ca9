"""The measures, one short file each; a new one needs its file and its line here."""

from ir_measures_relative.measures.base import RelativeMeasure, registry
from ir_measures_relative.measures.boot_ndcg import BootNDCG, boot_ndcg
from ir_measures_relative.measures.bounds import NDCGBound
from ir_measures_relative.measures.med import MED
from ir_measures_relative.measures.nrg import NRG
from ir_measures_relative.measures.rareness import Rare, RareAP, RareP
from ir_measures_relative.measures.tasc import TaSC
from ir_measures_relative.measures.unique_rel import UniqueRel
from ir_measures_relative.measures.upper_lower import UL, expected_random

__all__ = [
    "BootNDCG",
    "MED",
    "NDCGBound",
    "NRG",
    "UL",
    "Rare",
    "RareAP",
    "RareP",
    "RelativeMeasure",
    "TaSC",
    "UniqueRel",
    "boot_ndcg",
    "expected_random",
    "registry",
]
