"""The main job on an embedded track: what does each system add to the others?"""

from __future__ import annotations

from ir_measures import Judged, nDCG

from ir_measures_relative import simulate
from ir_measures_relative.many_runs import calc_runs
from ir_measures_relative.measures import NRG, UniqueRel
from ir_measures_relative.tables import Writer


def show_demo(seed: int = 0) -> None:
    """Prints a leaderboard of a simulated track."""
    track = simulate.track(seed=seed)
    measures = [nDCG @ 10, Judged @ 10, NRG @ 10, UniqueRel @ 10]
    means = calc_runs(measures, track.qrels, track.runs).groupby(["name", "measure"])["value"].mean().unstack()
    means = means[[str(measure) for measure in measures]].sort_values("nDCG@10", ascending=False)
    print(f"A simulated track: {track.qrels.query_id.nunique()} topics, {len(track.runs)} systems; best nDCG@10 first.")
    print("NRG@10 and UniqueRel@10: what a system adds when the user has seen all the others.\n")
    write = Writer("markdown", 3)
    write.header("system", "family", *means.columns)
    for name, *values in means.itertuples():
        write.row(name, track.groups[name], *values)
    write.close()
    best, adds = means.index[0], means["NRG@10"].idxmax()
    print(f"\n{best} has the highest nDCG@10, but {adds} adds most to the other systems.")
