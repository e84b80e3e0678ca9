"""More states than can be passed over (see `label_draws`): what can be said without any state of the supply.

What labels are worth depends on how many of the first t draws ask for each level. With M_t^(s) targets at or above
level s and c_r documents of level r left in the pool, the labels at or above level r are

    T_t^(r) = min over s = r..top+1 of (M_t^(s) + c_r + ... + c_{s-1}).

At one t the counts M^(top) <= ... <= M^(1) are a chain over levels, each a binomial number more than the one above, and
the minimum runs along. So the mean of T_t^(r) is exact, and so is the chance that one more target of level k raises
T_t^(r): it does where every minimum is at a level up to k.

From the second follows the *projection* of the score on single draws (Hajek 1968): of all sums of one number for each
draw the one that is nearest to the score in the mean square. Its draws are independent, so its distribution is soon
computed. It is not the score's distribution, but has its mean, and is near to it where there are many draws.
"""

from __future__ import annotations

import numpy as np

from ir_measures_relative._unjudged.grid_sums import off_grid, on_grid, summed_grids
from ir_measures_relative._unjudged.label_draws import LabelDraws
from ir_measures_relative._unjudged.score_distribution import Points, merged

NODES = 64  # numbers of draws at which counts are looked at, if there are more; in between they are nearly straight
NEVER = 1e-17  # counts that are less likely are left out
CELLS = 1 << 16  # of the grid on which the effects of draws are added
NEGLIGIBLE = 1e-15  # of the ends of that grid


def expected_score(labels: LabelDraws) -> tuple[float, float]:
    """Expected gain of the draws, weighted, and by how much it may be off: exact for up to `NODES` draws.

    Labels at or above a level grow ever more slowly with the draws, as levels run out: between two nodes their number
    lies above the straight line, and below those of the neighbouring nodes.
    """
    nodes = _nodes(labels.n)
    counts = np.stack([labels_at_or_above(int(t), labels.probability, labels.supply)[0] for t in nodes])  # (nodes, L)
    draws = np.arange(1, labels.n + 1)
    place = np.searchsorted(nodes, draws)  # (n,) the node at or after each
    total, off = labels.gain[0] * labels.weight.sum(), 0.0
    for r in range(1, len(labels.gain)):
        slope = np.diff(counts[:, r]) / np.diff(nodes)  # (nodes - 1,)
        slope = np.concatenate([[labels.probability[r:].sum()], slope, [0.0]])  # before the first and after the last
        least = np.interp(draws, nodes, counts[:, r])  # (n,)
        most = np.minimum(
            counts[place - 1, r] + slope[place - 1] * (draws - nodes[place - 1]),
            counts[place, r] - slope[place + 1] * (nodes[place] - draws),
        )
        worth = _worth(labels, r)
        total += (worth * (least + most)).sum() / 2
        off += np.abs(worth * (most - least)).sum() / 2
    return float(total), float(off)


def effects(labels: LabelDraws) -> np.ndarray:
    """(n, L) by how much each level as the target of each draw moves the expected score."""
    n, n_levels = labels.n, len(labels.gain)
    nodes = _nodes(n)
    walks = (labels_at_or_above(int(t), labels.probability, labels.supply, one_more=True) for t in nodes)
    raised = np.stack([raised for _, raised in walks])  # (nodes, L, L)
    effect = np.zeros((n, n_levels))
    for r in range(1, n_levels):
        for k in range(r, n_levels):
            # a target counts in all T_t from its own draw on, beside t - 1 others
            raises = _worth(labels, r) * np.interp(np.arange(n), nodes, raised[:, r, k])  # (n,)
            effect[:, k] += np.cumsum(raises[::-1])[::-1]
    return effect - (effect * labels.probability).sum(axis=1, keepdims=True)


def projected_scores(labels: LabelDraws, start: float) -> Points:
    """The distribution of the projection, with the mean of the score."""
    effect = effects(labels)  # (n, L)
    step = float((effect.max(axis=1) - effect.min(axis=1)).sum()) / CELLS or 1.0
    draws = [merged(row, labels.probability) for row in effect]
    (grid,) = summed_grids([on_grid(draw, step, draw.lowest) for draw in draws], 1, NEGLIGIBLE)
    points = off_grid(grid, step).possible()
    off_centre = float((points.score * points.probability).sum()) / points.mass  # by rounding; the mean of effects is 0
    score = start + expected_score(labels)[0] + points.score - off_centre
    return Points(score, points.probability / points.mass)


def labels_at_or_above(
    n_draws: int, probability: np.ndarray, supply: np.ndarray, one_more: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """(L,) mean number of labels at or above each level r.

    With ``one_more`` also (L, L): the chance that one more target of level k >= r raises that number.
    """
    n_levels = len(probability)
    below = np.concatenate([[0, 0], np.cumsum(supply[1:])])  # (L + 1,) supply of the levels 1..s-1
    reaching = np.append(np.cumsum(probability[::-1])[::-1], 0.0)  # (L + 1,) chance of a target at or above a level
    mean, raised = np.zeros(n_levels), np.zeros((n_levels, n_levels))
    count = np.zeros(1, dtype=np.int64)  # values of M at the level so far
    least = below[-1:]  # values of the minimum of M^(s) + below[s] over the levels so far
    chance = np.ones((1, 1))  # (M, minimum)
    # k -> the same, the minimum being that of the levels above k, as far as no level from k down is below it
    unraised = {n_levels - 1: (least, chance)} if one_more else {}
    for s in range(n_levels - 1, 0, -1):
        more = _likely_counts(n_draws, reaching[s])
        share = min(probability[s] / (1.0 - reaching[s + 1]), 1.0) if reaching[s + 1] < 1.0 else 0.0
        rises = _binomial((n_draws - count)[:, None], more - count[:, None], share)  # (M, M')
        own = more + below[s]  # (M',)
        chance = np.einsum("my,mj->jy", chance, rises)  # not a matrix product, whose last bits depend on threads
        least, chance = _running_minimum(own, least, chance)
        count = more
        mean[s] = (chance.sum(axis=0) * (least - below[s])).sum()
        if one_more:
            for k, (bound, part) in unraised.items():
                part = np.where(own[:, None] >= bound, np.einsum("my,mj->jy", part, rises), 0.0)
                unraised[k], raised[s, k] = (bound, part), 1.0 - part.sum()
            unraised[s - 1] = least, chance
    return mean, raised


def _worth(labels: LabelDraws, level: int) -> np.ndarray:
    """(n,) what a label at or above a level among the first t draws adds, for t = 1..n: it could have come later."""
    step = labels.gain[level] - labels.gain[level - 1]
    return step * (labels.weight - np.append(labels.weight[1:], 0.0))


def _nodes(n: int) -> np.ndarray:
    """Numbers of draws from 0 to n: every one at first, where weights are large, then further and further apart."""
    if n <= NODES:
        return np.arange(n + 1)
    return np.unique(np.append(np.arange(NODES // 2), np.geomspace(NODES // 2, n, NODES // 2).round())).astype(int)


def _running_minimum(own: np.ndarray, least: np.ndarray, chance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values of min(own, least) and their (M, minimum) chances, from those of ``least``."""
    values = np.arange(min(own[0], least[0]), min(own[-1], least[-1]) + 1)
    place = np.minimum(own[:, None], least) - values[0]  # (M, old minimum)
    cell = np.arange(len(own))[:, None] * len(values) + place
    new = np.bincount(cell.ravel(), weights=chance.ravel(), minlength=len(own) * len(values))
    return values, new.reshape(len(own), len(values))


def _likely_counts(n: int, p: float) -> np.ndarray:
    """The numbers of n draws of chance p that are not too unlikely to matter."""
    likely = np.flatnonzero(_binomial(np.array(n), np.arange(n + 1), min(p, 1.0)) > NEVER)
    return np.arange(likely[0], likely[-1] + 1)


def _binomial(n: np.ndarray, k: np.ndarray, p: float) -> np.ndarray:
    """P(k of n draws of chance p), 0 where not 0 <= k <= n."""
    from scipy.special import gammaln, xlog1py, xlogy  # here, since few topics are so large

    possible = (k >= 0) & (k <= n)
    k = np.where(possible, k, 0)
    ways = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    return np.where(possible, np.exp(ways + xlogy(k, p) + xlog1py(n - k, -p)), 0.0)
