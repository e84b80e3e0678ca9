"""The About view of a report, which needs no script: definitions, versions, files and references.

Definitions are also shown on hover.
"""

import hashlib
import html
import os
import platform
from collections.abc import Iterable, Mapping
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import scipy

from ir_measures_relative._base import direction
from ir_measures_relative._experiment import adds_up
from ir_measures_relative._input import RunSource
from ir_measures_relative._judged import Judgements
from ir_measures_relative._report.content import Content, prior_symbol
from ir_measures_relative._version import __version__
from ir_measures_relative.citations import bibtex

_KEYS = "Keys: / filters runs, arrows move in tables and maps, Enter opens, s stars a run, Escape goes back."
_PRIORS = {
    "others": "Prior runs: all other runs.",
    "previous": "Prior runs: the runs listed before it.",
    "groups": "Prior runs: the best run of every other group.",
}
_BY_FREQUENCY = "if relevant documents are as frequent as among the judged documents of the topic"
_LABEL_WORDS = {"imputed", "better"}  # shown with a label model
_LIKELY = (
    " Likely: not settled, but the label model gives this order a probability of at least 95%. "
    "Tied: it gives equal means such a probability. Undecided: none of these."
)
_DIRECTIONS = {"larger": "Larger is better.", "smaller": "Smaller is better.", "neither": ""}

# Subject -> key -> label: definition. The page fills in {base}, the run that the reader compares with.
_WORDS = {
    "Runs": {
        "rank": "Rank: Rank by the mean of {main}. The small numbers are the rank interval: the run has one of these "
        "ranks in {level} of bootstrap samples of the topics.",
        "tier": "Tier: Runs of one tier are hard to separate. A new tier starts with the first run that is worse than "
        "the best run of the tier above in {sure} of bootstrap samples of the topics.",
        "interval": "Topic interval: Range of the mean of {main} in {level} of bootstrap samples of the topics: how "
        "much the mean depends on the choice of topics.",
        "imputed": "Expected: Mean of {main} on these topics that the label model expects once the unjudged documents "
        "have labels. According to the model, the label interval contains that mean with a probability of {level}.",
        "difference": "Difference: Mean of {main} minus that of {base}. p: paired t-test over topics, with Holm’s "
        "correction for the number of other runs.",
        "won": "Won–lost: Topics on which the run has a better or a worse {main} than {base}.",
        "unjudged": "Unjudged: Unjudged documents in the run’s top {cutoff}; they count as not relevant.",
    },
    "Groups": {
        "n_runs": "Runs: Number of runs of the group.",
        "best_rank": "Rank: Rank of the group’s best run among all runs, by {main}.",
        "best_score": "Best {main}: Mean of {main} of the group’s best run.",
        "group_mean": "Mean {main}: Mean of {main} over all runs of the group.",
        "group_adds": "Best {adds}: The best {adds} of any run of the group.",
        "group_alone": "Found alone: Relevant documents, summed over topics, that only runs of this group have in "
        "their top {cutoff}.",
        "group_unjudged": "Unjudged: Share of unjudged documents in the top {cutoff} of the group’s runs.",
    },
    "Topics": {
        "hardness": "Mean: Mean over all runs: how hard the topic is.",
        "median": "Median: Median over all runs.",
        "best": "Best: The best score of any run. If it is low, all runs fail on the topic.",
        "spread": "Spread: Highest score minus lowest score: how well the topic separates runs.",
        "relevant": "Relevant: Judged documents of the topic with a grade above 0.",
        "judged": "Judged: Judged documents of the topic.",
        "share": "Unjudged: Share of unjudged documents in the top {cutoff} of all runs on the topic.",
    },
    "Pairs of runs": {
        "gap": "Difference: Mean of {main} of the first run minus that of the other run.",
        "p_pair": "p: Paired t-test over topics, with Holm’s correction for all pairs of the page. A pair is "
        "significant if p is below .05.",
        "p_alone": "p, this pair alone: Paired t-test over topics, without correction for the number of pairs.",
        "med": "MED: Maximised effectiveness distance: the largest possible difference between the two runs on a topic "
        "by {main}, whatever grades their unjudged documents have; mean over topics.",
        "low": "At least: The smallest difference of the means that labels of the unjudged documents allow, provided "
        "that no relevant documents are missing from both runs.",
        "high": "At most: The largest difference of the means that labels of the unjudged documents allow.",
        "settled": "Order: The first run compared with the other one. Settled: no possible labels of the unjudged "
        "documents can reverse or break the order of the two means on these topics.{likely}",
        "better": "P(better): Probability, according to the label model, that the first run has the better mean of "
        "{main} on these topics once the unjudged documents have labels. An order is likely if its "
        "probability is at least {level}.",
    },
    "Documents": {
        "place": "Rank: Rank of the document in the run.",
        "grade": "Grade: Grade given by the assessors; ? means unjudged.",
        "runs": "Runs: Runs that have the document in their top {cutoff}.",
        "first": "Best rank: Best rank of the document in any run.",
        "p_relevant": "P(relevant): Probability that the unjudged document is relevant, {how}.",
        "effect": "Effect: How much the label of the document matters: the variance that it adds to the differences of "
        "the means, summed over the undecided pairs of runs, relative to the first document.",
        "pairs": "Pairs: Undecided pairs of runs whose difference depends on the document’s label.",
    },
}
Words = dict[str, list[str]]  # key -> label and definition


def definitions(content: Content) -> dict[str, Words]:
    """Words by subject; the measures are m0, m1, ..."""
    adds = None if content.adds is None else content.measures[content.adds]
    how = _BY_FREQUENCY if content.labels is None else "according to the label model"
    filled = {"main": content.main, "cutoff": content.cutoff, "base": "{base}", "adds": adds, "how": how}
    filled |= {"level": "95%", "sure": "97.5%", "likely": "" if content.labels is None else _LIKELY}
    titled = zip(content.titles, content.measures, strict=True)
    measures = {f"m{place}": [title, _definition(measure)] for place, (title, measure) in enumerate(titled)}
    return {"Measures": measures} | {
        title: {
            key: [part.format(**filled) for part in word.split(": ", 1)]
            for key, word in words.items()
            if content.labels is not None or key not in _LABEL_WORDS
        }
        for title, words in _WORDS.items()
        if content.groups or title != "Groups"
    }


def _definition(measure: ir_measures.Measure) -> str:
    """The measure in a few sentences, with its prior runs, since two measures may differ in nothing else."""
    title = getattr(measure, "PRETTY_NAME", "") or str(measure)
    mean = f"{title}: {'sum' if adds_up(measure) else 'mean'} over topics."
    prior_runs = _PRIORS.get(prior_symbol(measure) or "", "")
    sentences = mean, getattr(measure, "SHORT_DESC", "").strip(), prior_runs, _DIRECTIONS[direction(measure)]
    return " ".join(filter(None, sentences))


def about(content: Content, notes: Iterable[str], warnings: Iterable[str], files: str, command: str | None) -> str:
    """HTML; the definition of a word has the id that its column links to."""
    warned = "".join(f"<li>{_text(sentence)}</li>" for sentence in warnings)
    kept, n_topics = len(content.kept_topics), content.judgements.n_topics
    rankings = f"Rankings are cut at {content.cutoff}"
    if kept < n_topics:
        rankings += f" and included for {kept} of {n_topics} topics: those on which the runs differ most"
        rankings += ". Means and tables cover all topics"
    unjudged = "Unjudged documents count as not relevant unless a column says otherwise."
    versions = {"ir_measures_relative": __version__, "Python": platform.python_version()}
    versions |= {package.__name__: package.__version__ for package in (ir_measures, np, pd, scipy)}
    return "\n".join(
        [
            f'<h2 id="warnings" tabindex="-1">Warnings</h2><ul class="plain">{warned}</ul>' if warned else "",
            *(f"<h2>{_text(title)}</h2>{_glossary(words)}" for title, words in definitions(content).items()),
            "<h2>Notes</h2>",
            *(f'<p class="note">{_text(note)}</p>' for note in [unjudged, f"{rankings}.", *notes, _KEYS]),
            f"<h2>Made with</h2><p>{_text(' · '.join(f'{name} {version}' for name, version in versions.items()))}</p>",
            f"<pre>{_text(command)}</pre>" if command else "",
            "<details><summary>Files and their hashes</summary>"
            f'<div class="scroll"><table class="hashes">{files}</table></div></details>',
            "<details><summary>References</summary>"
            f'<pre id="bibtex">{_text(bibtex(content.measures, "MED"))}</pre></details>',
        ]
    )


def _glossary(words: Words) -> str:
    base = "the run chosen under “Compared with”"
    rows = (
        f'<dt id="define-{key}" tabindex="-1">{_text(label)}</dt><dd>{_text(text.replace("{base}", base))}</dd>'
        for key, (label, text) in words.items()
    )
    return f"<dl>{''.join(rows)}</dl>"


def file_rows(content: Content, qrels: Any, sources: Mapping[str, RunSource]) -> str:
    """HTML rows: name, file, kind of hash, hash; the same input gives the same rows."""
    rows = [_file("qrels", qrels, _fingerprint(content.judgements))]
    rows += [_file(name, sources[name].path, content.runs[name].run.fingerprint) for name in content.runs]
    return "".join(f"<tr>{''.join(f'<td>{_text(cell)}' for cell in row)}" for row in rows)


def _fingerprint(judgements: Judgements) -> str:
    """32 hex digits that depend on all judgements, not on the order of the rows."""
    rows = zip(judgements.topic.tolist(), judgements.document_ids().tolist(), judgements.grade.tolist(), strict=True)
    content = sorted((judgements.topic_keys[topic], doc, grade) for topic, doc, grade in rows)
    return hashlib.blake2b(repr(content).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _file(name: str, source: Any, fingerprint: str) -> list[str]:
    """[name, file, kind of hash, hash]; data that cannot be read again, such as a pipe, has the hash of its content."""
    if isinstance(source, (str, os.PathLike)) and os.path.isfile(os.path.expanduser(source)):
        with open(os.path.expanduser(source), "rb") as file:
            return [name, os.path.basename(source), "SHA-256", hashlib.file_digest(file, "sha256").hexdigest()]
    return [name, "", "content", fingerprint]


def _text(words: str) -> str:
    """Any text as HTML, isolated from the direction of the text around it."""
    return f"<bdi>{escaped(words)}</bdi>" if words else ""


def escaped(text: str) -> str:
    """Any text as HTML; unpaired surrogates become character references."""
    return html.escape(text).encode("utf-8", "xmlcharrefreplace").decode()
