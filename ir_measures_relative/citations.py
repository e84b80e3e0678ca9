"""BibTeX entries of the papers behind the measures.

An entry contains only facts stated by the papers and public bibliographies; the available text of Moffat's paper names
no journal, year or pages.
"""

from collections.abc import Iterable
from typing import Any

from ir_measures_relative._base import parse_measure

BIBTEX = {
    "nrg": r"""
@inproceedings{bigdeli2024nrg,
  author    = {Amin Bigdeli and Negar Arabzadeh and Ebrahim Bagheri and Charles L. A. Clarke},
  title     = {Evaluating Relative Retrieval Effectiveness with Normalized Residual Gain},
  booktitle = {Proceedings of the 2nd International ACM SIGIR Conference on Information Retrieval
               in the Asia Pacific (SIGIR-AP 2024)},
  year      = {2024},
  url       = {https://github.com/aminbigdeli/Normalized-Residual-Gain}
}""",
    "tasc": r"""
@inproceedings{arabzadeh2023tasc,
  author    = {Negar Arabzadeh and Amin Bigdeli and Radin Hamidi Rad and Ebrahim Bagheri},
  title     = {Quantifying Ranker Coverage of Different Query Subspaces},
  booktitle = {46th International ACM SIGIR Conference on Research and Development in Information Retrieval},
  pages     = {2298--2302},
  url       = {https://openreview.net/forum?id=N4t4J0ZAuq},
  year      = {2023}
}""",
    "med": r"""
@article{tan2015med,
  author  = {Luchen Tan and Charles L. A. Clarke},
  title   = {A Family of Rank Similarity Measures Based on Maximized Effectiveness Difference},
  journal = {IEEE Transactions on Knowledge and Data Engineering},
  volume  = {27},
  number  = {11},
  pages   = {2865--2877},
  url     = {https://arxiv.org/abs/1408.3587},
  year    = {2015}
}""",
    "med-recall": r"""
@misc{moffat-med,
  author = {Alistair Moffat},
  title  = {Computing Maximized Effectiveness Distance for Recall-Based Metrics},
  note   = {School of Computing and Information Systems, The University of Melbourne}
}""",
    "rareness": r"""
@inproceedings{turkmen2023rareness,
  author    = {Mehmet Deniz T{\"u}rkmen and Matthew Lease and Mucahid Kutlu},
  title     = {New Metrics to Encourage Innovation and Diversity in Information Retrieval Approaches},
  booktitle = {Advances in Information Retrieval (ECIR 2023)},
  pages     = {239--254},
  url       = {https://arxiv.org/abs/2301.08062},
  year      = {2023}
}""",
    "ul": r"""
@misc{karmaker2022ul,
  author        = {Shubhra Kanti Karmaker and Dongji Feng},
  title         = {Joint Upper \& Lower Bound Normalization for {IR} Evaluation},
  eprint        = {2209.05007},
  archiveprefix = {arXiv},
  year          = {2022}
}""",
    "bootndcg": r"""
@inproceedings{froebe2023bootndcg,
  author    = {Maik Fr{\"o}be and Lukas Gienapp and Martin Potthast and Matthias Hagen},
  title     = {Bootstrapped {nDCG} Estimation in the Presence of Unjudged Documents},
  booktitle = {Advances in Information Retrieval (ECIR 2023)},
  series    = {Lecture Notes in Computer Science},
  volume    = {13980},
  doi       = {10.1007/978-3-031-28244-7_20},
  year      = {2023}
}""",
    "rbo": r"""
@article{webber2010rbo,
  author  = {William Webber and Alistair Moffat and Justin Zobel},
  title   = {A Similarity Measure for Indefinite Rankings},
  journal = {ACM Transactions on Information Systems},
  volume  = {28},
  number  = {4},
  year    = {2010}
}""",
    "rbo-ties": r"""
@inproceedings{corsi2024ties,
  author    = {Matteo Corsi and Juli{\'a}n Urbano},
  title     = {The Treatment of Ties in Rank-Biased Overlap},
  booktitle = {47th International ACM SIGIR Conference on Research and Development in Information Retrieval},
  url       = {https://github.com/julian-urbano/sigir2024-rbo},
  year      = {2024}
}""",
    "rbp": r"""
@article{moffat2008rbp,
  author  = {Alistair Moffat and Justin Zobel},
  title   = {Rank-Biased Precision for Measurement of Retrieval Effectiveness},
  journal = {ACM Transactions on Information Systems},
  volume  = {27},
  number  = {1},
  year    = {2008}
}""",
    "predicted": r"""
@inproceedings{buettcher2007reliable,
  author    = {Stefan B{\"u}ttcher and Charles L. A. Clarke and Peter C. K. Yeung and Ian Soboroff},
  title     = {Reliable Information Retrieval Evaluation with Incomplete and Biased Judgements},
  booktitle = {Proceedings of the 30th Annual International ACM SIGIR Conference on Research and Development
               in Information Retrieval},
  pages     = {63--70},
  year      = {2007}
}""",
    "proportional-odds": r"""
@article{mccullagh1980ordinal,
  author  = {Peter McCullagh},
  title   = {Regression Models for Ordinal Data},
  journal = {Journal of the Royal Statistical Society. Series B},
  volume  = {42},
  number  = {2},
  pages   = {109--142},
  year    = {1980}
}""",
}


def bibtex(*measures: Iterable[Any] | Any) -> str:
    """Return the BibTeX entries to cite for the given measures; without measures, all entries.

    Parameters
    ----------
    measures : Measure or str, or iterables of these
        Measures of this package name their papers; built-in measures of ir_measures add nothing.

    Returns
    -------
    str
        BibTeX entries, each once, in order of first use.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> print(imr.bibtex(["nDCG@10", imr.MED]))
    @article{tan2015med,
      author  = {Luchen Tan and Charles L. A. Clarke},
      ...
    """
    keys: dict[str, None] = {} if measures else dict.fromkeys(BIBTEX)  # a dict keeps the order of first use
    for some in measures:
        # not iter(): a measure that can be indexed by parameter would count as a sequence
        several = hasattr(type(some), "__iter__") and not isinstance(some, str)
        listed: Iterable[Any] = some if several else [some]
        for measure in listed:
            keys.update(dict.fromkeys(getattr(parse_measure(measure), "CITATIONS", ())))
    return "\n\n".join(BIBTEX[key].strip() for key in keys)
