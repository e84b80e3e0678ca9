"""Pipelines of PISA over Vaswani as PyTerrier's users write them; each function is one thing that must work.

A script: ir_datasets looks for its folder when it is imported, so a process of its own is told where that is.

    IR_DATASETS_HOME=... python pisa_pipelines.py FOLDER PAGE

FOLDER is an empty one; PAGE is the documentation's page about PyTerrier, whose examples are run as they stand.
"""

from __future__ import annotations

import os
import re
import sys
import textwrap
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures import AP, RR, Judged, nDCG
from pyterrier_pisa import PisaIndex

import ir_measures_relative as imr
from ir_measures_relative import MED, NRG, UniqueRel

FOLDER = Path(sys.argv[1])
DATASET = pt.get_dataset("irds:vaswani")
TOPICS, QRELS = DATASET.get_topics().head(20), DATASET.get_qrels()
QRELS = QRELS[QRELS.qid.isin(TOPICS.qid)]
INDEX = PisaIndex(str(FOLDER / "vaswani.pisa"), text_field="text", threads=1)
INDEX.index(DATASET.get_corpus_iter(verbose=False))
BM25, DPH, QL = INDEX.bm25(), INDEX.dph(), INDEX.qld()
SYSTEMS = {"BM25 (k1=0.9, b=0.4)": BM25, "castorini/monot5": DPH, "ql: mu=1000": QL}
RESULTS = {name: system(TOPICS) for name, system in SYSTEMS.items()}


def means(measures: list[Any], systems: list[Any] | None = None) -> np.ndarray:
    """Systems x measures by pt.Experiment itself, for measures that it can compute."""
    table = pt.Experiment(list(RESULTS.values()) if systems is None else systems, TOPICS, QRELS, measures)
    return table[[str(measure) for measure in measures]].to_numpy()


def transformers_as_priors() -> None:
    measures = [NRG(prior=BM25) @ 10, UniqueRel(prior=[BM25, DPH % 10]) @ 10, MED(reference=BM25) @ 10]
    measures += [NRG(prior={"first": BM25, "cut": BM25 % 5}) @ 10]
    found = imr.Experiment(SYSTEMS, TOPICS, QRELS, measures)
    bm25, dph = BM25(TOPICS), (DPH % 10)(TOPICS)
    same = [NRG(prior=bm25) @ 10, UniqueRel(prior=[bm25, dph]) @ 10, MED(reference=bm25) @ 10]
    same += [NRG(prior=[bm25, (BM25 % 5)(TOPICS)]) @ 10]
    np.testing.assert_allclose(found.iloc[:, 1:], means(same), atol=1e-12)
    assert found.iloc[0, 3] == 0.0 and (found.iloc[1:, 3] > 0).all()  # BM25's distance to itself


def names_of_systems_as_priors() -> None:
    names = list(SYSTEMS)
    texts = ["""NRG(prior='"BM25 (k1=0.9, b=0.4)"')@10""", "NRG(prior='castorini/monot5')@10"]
    texts += ["""NRG(prior='"ql: mu=1000"')@10""", """NRG(prior='"BM25 (k1=0.9, b=0.4)",castorini/monot5')@10"""]
    priors = [RESULTS[names[0]], RESULTS[names[1]], RESULTS[names[2]], [RESULTS[names[0]], RESULTS[names[1]]]]
    expected = means([NRG(prior=prior) @ 10 for prior in priors])
    for metrics in (texts, [imr.parse_measure(text) for text in texts]):
        found = imr.Experiment(SYSTEMS, TOPICS, QRELS, metrics)
        assert list(found) == ["name", *texts]
        np.testing.assert_allclose(found.iloc[:, 1:], expected, atol=1e-12)
    try:
        imr.Experiment(SYSTEMS, TOPICS, QRELS, [NRG(prior=names[0]) @ 10])
    except ValueError as error:
        assert str(error).endswith("""double quotes: '"BM25 (k1=0.9, b=0.4)"')"""), error
    else:
        raise AssertionError("a name that holds a comma was taken for something")


def order_and_marks() -> None:
    measures = [UniqueRel @ 10, nDCG @ 10, MED(reference=BM25) @ 10, NRG @ 10, AP, "mrt"]
    names = [str(measure) for measure in measures]
    names[2] = """MED(reference='"BM25 (k1=0.9, b=0.4)"')@10"""  # a system is called by its name
    for asked, wanted in ((measures, names), (measures[::-1], names[::-1])):
        assert list(imr.Experiment(SYSTEMS, TOPICS, QRELS, asked))[1:] == wanted
        values = imr.Experiment(SYSTEMS, TOPICS, QRELS, asked, dataframe=False)
        assert all(list(of_system) == wanted for of_system in values.values())
    rows = imr.Experiment(SYSTEMS, TOPICS, QRELS, measures[:-1], perquery=True)
    assert rows.groupby(["name", "qid"]).measure.agg(list).map(lambda found: found == names[:-1]).all()
    styled = imr.Experiment(SYSTEMS, TOPICS, QRELS, measures, highlight="bold")
    styled._compute()
    frame = styled.data
    marked = {frame.columns[column]: row for (row, column), styles in styled.ctx.items() if styles}
    assert marked["nDCG@10"] == frame["nDCG@10"].argmax() and marked["mrt"] == frame["mrt"].argmin()
    assert names[2] not in marked  # neither end of a distance is better


def saved_runs() -> None:
    folder = FOLDER / "saved"
    folder.mkdir()
    systems = {"BM25 (k1=0.9, b=0.4)": BM25, "dph v1.0": DPH, "ql": QL}
    texts = ["nDCG@10", "NRG@10", """NRG(prior='"dph v1.0"')@10""", "Judged@10", "RR@10"]
    found = imr.Experiment(systems, TOPICS, QRELS, texts, save_dir=str(folder)).set_index("name")
    again = imr.compare(texts, QRELS, folder).to_frame()
    np.testing.assert_allclose(again.loc[list(systems), texts], found[texts], atol=1e-9)
    assert set(imr.calc_runs(texts, QRELS, folder).name) == set(systems)
    assert means([Judged @ 10, RR @ 10]).shape == (3, 2)


def batches() -> None:
    """A prior run that lacks whole batches is no reason for a warning; one that lacks most topics of a call is."""
    measure = NRG(prior={"some": BM25(TOPICS.tail(5))}) @ 10
    expected = means([measure])
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        theirs = pt.Experiment(list(SYSTEMS.values()), TOPICS, QRELS, [measure], batch_size=4)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        ours = imr.Experiment(SYSTEMS, TOPICS, QRELS, [measure, NRG @ 10], batch_size=4)
    assert [str(warning.message).partition(" lacks ")[2][:15] for warning in caught] == ["15 of 20 topics"]
    for found in (theirs, ours):
        np.testing.assert_allclose(found[[str(measure)]], expected, atol=1e-12)


def readable_columns() -> None:
    for prior in (BM25, BM25 % 10, BM25 >> pt.RankCutoff(5), BM25 + DPH):
        (title,) = list(imr.Experiment([DPH], TOPICS, QRELS, [NRG(prior=prior) @ 10]))[1:]
        name, fingerprint = re.fullmatch(r"""NRG\(prior='"?(.+)~([0-9a-f]{8})"?'\)@10""", title).groups()
        assert len(name) <= 60 and str(FOLDER) not in name and "0x" not in name and "\\" not in name, title
        assert fingerprint and ("bm25" in name or name == "Sum"), title
    assert str(NRG(prior={"bm25": BM25}) @ 10).startswith("NRG(prior='bm25~")


def tuning() -> None:
    """pt.GridScan takes the measures; pt.GridSearch takes no measure object at all, not even nDCG@10."""
    cut, measure = pt.RankCutoff(10), NRG(prior={"bm25": RESULTS[next(iter(SYSTEMS))]}) @ 10
    pipeline, grid = (BM25 >> cut) ^ QL, {cut: {"k": [1, 3, 10]}}
    scan = pt.GridScan(pipeline, grid, TOPICS, QRELS, [nDCG @ 10, measure])
    best = scan.loc[scan[str(measure)].idxmax()]
    values = {k: means([measure], [((BM25 % k) ^ QL)(TOPICS)])[0, 0] for k in (1, 3, 10)}
    assert best["tran_0_k"] == max(values, key=values.get) and np.isclose(best[str(measure)], max(values.values()))
    for each in (nDCG @ 10, measure):
        try:
            pt.GridSearch(pipeline, grid, TOPICS, QRELS, each)
        except KeyError:
            continue
        raise AssertionError("GridSearch takes measures now: the documentation says that it does not")


def public_names() -> None:
    assert dir(pt.relative) == sorted({*imr.__all__, "plots"})
    assert pt.relative.Experiment is imr.Experiment and pt.relative.NRG is imr.NRG


def the_page() -> None:
    """Its blocks of Python run one after the other, and its table is what the block before it gives."""
    text = Path(sys.argv[2]).read_text(encoding="utf-8")
    blocks = re.findall(r"^\.\. code-block:: (python|text)\n\n((?:    .*\n|\n)+)", text, re.MULTILINE)
    names: dict[str, Any] = {}
    shown: Any = None
    os.chdir(FOLDER)
    (FOLDER / "vaswani.pisa").rename(FOLDER / "another.pisa")
    assert [kind for kind, _ in blocks].count("text") >= 1
    for kind, block in blocks:
        source = textwrap.dedent(block).strip("\n")
        if kind == "text":
            assert shown.to_string() == source, f"{shown.to_string()}\n{source}"
            continue
        *lines, last = source.splitlines()
        try:
            value = compile(last, "page", "eval")
        except SyntaxError:
            exec(source, names)
        else:
            exec("\n".join(lines), names)
            shown = eval(value, names)


if __name__ == "__main__":
    pd.set_option("display.width", 200)
    parts = [transformers_as_priors, names_of_systems_as_priors, order_and_marks, saved_runs, batches]
    for part in (*parts, readable_columns, tuning, public_names, the_page):
        part()
        print(part.__name__)
