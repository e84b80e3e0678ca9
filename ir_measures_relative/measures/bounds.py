"""NDCGBound: how low and how high can nDCG be, whatever the unjudged documents of the top K are?

Three answers (Froebe, Gienapp, Potthast and Hagen, ECIR 2023, section 3.3 and Table 1):

naive       unjudged documents count 0, or the best labels that the pool has left (see naive_bounds)
scaled      "RBP-inspired": above, they all have the highest grade and join the ideal; below, they count 0
guaranteed  true for any labels: above, the largest nDCG that any labels give; below, they count 0 and the ideal
            is K documents of the highest grade, since relevant documents may exist outside the run

Only the guaranteed bounds hold for every labelling, and the upper one is attained. With D_h the step between the
sorted distinct gains, c_h the judged documents and N_h the unjudged documents at or above gain h, W(n) the
discounts of the first n unjudged documents and S(n) those of the first n ranks,

    DCG = base + sum_h D_h W(N_h),    IDCG = sum_h D_h S(min(K, c_h + N_h)),

and Dinkelbach's method maximises the ratio: at ratio x every layer takes the N_h of the largest
D_h (W(N_h) - x S(min(K, c_h + N_h))) on its own; c_h falls with h, so the optimal N_h fall too and the layers
belong to a labelling. Labels are the grades 0..max_rel; layers are over gains, as gain tables need not be monotone.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ir_measures_relative.naive_bounds import over_ideal

CELLS = 1 << 22  # largest (topics, layers, labels) array held at once


class Layers(NamedTuple):
    """The pool of each topic, cut between consecutive gains that a label can have."""

    step: np.ndarray  # (H,) gain added by a layer
    at_least: np.ndarray  # (Q, H) judged documents that reach the top of the layer
    block: np.ndarray  # (B,) first layer of each block; a label raises a document by whole blocks
    height: np.ndarray  # (B,) gain added by a block; 0 for the block above all labels


def gain_layers(gain: np.ndarray, topic: np.ndarray, n_topics: int, label_gain: np.ndarray) -> Layers:
    """Layers of the judged gains and the gains of all labels.

    Parameters
    ----------
    gain, topic : (J,) arrays
        Gain and topic index of each judged document.
    n_topics : int
    label_gain : (M,) array
        The gains that an unjudged document may have.
    """
    levels = np.unique(np.concatenate([gain, label_gain, [0.0]]))  # (H + 1,), 0 first
    exactly = np.zeros((n_topics, len(levels)))
    np.add.at(exactly, (topic, np.searchsorted(levels, gain)), 1)
    at_least = exactly[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:].astype(np.int64)  # (Q, H)
    # documents climb from one label's gain to the next; a judged gain in between only splits the climb
    rungs = np.unique(np.append(label_gain, 0.0))
    block = np.searchsorted(levels, rungs)
    block = block[block < len(levels) - 1]
    return Layers(np.diff(levels), at_least, block, np.append(np.diff(rungs), 0.0)[: len(block)])


def layered_ideal(layers: Layers, raised: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """Share of each block in the ideal DCG when ``raised`` more documents reach it. (Q, R) -> (Q, B, R)

    ``reach[n]`` is the sum of the first n discounts of the ideal, cut at K.
    """
    count = layers.at_least[:, :, None] + np.where(layers_open(layers)[:, None], raised[:, None, :], 0)
    value = layers.step[:, None] * reach[np.minimum(count, len(reach) - 1)]  # (Q, H, R)
    return np.add.reduceat(value, layers.block, axis=1)


def layers_open(layers: Layers) -> np.ndarray:
    """Which layers a label can reach. (H,)"""
    open_blocks = layers.height > 0
    return np.repeat(open_blocks, np.diff(np.append(layers.block, len(layers.step))))


def guaranteed_upper(
    gain: np.ndarray, unjudged: np.ndarray, layers: Layers, seen: np.ndarray, reach: np.ndarray
) -> np.ndarray:
    """Largest nDCG that any labels of the unjudged documents give.

    Parameters
    ----------
    gain : (Q, W) array
        Gains of the top K in rank order, 0 where unjudged or past the end of the list.
    unjudged : (Q, W) array of bool
    layers : Layers
    seen : (W,) array
        Discount of each rank.
    reach : (R,) array
        Sums of the first 0, 1, ... discounts that the ideal may use, cut at K.
    """
    if not len(layers.step):
        return np.zeros(len(gain))
    most = int(unjudged.sum(axis=1).max(initial=0))
    size = max(1, CELLS // (len(layers.step) * (most + 1)))
    parts = [slice(at, at + size) for at in range(0, len(gain), size)]
    return np.concatenate([np.zeros(0)] + [
        _dinkelbach(gain[part] @ seen, _climb(unjudged[part], seen, most),
                    layers._replace(at_least=layers.at_least[part]), reach)
        for part in parts
    ])


def _climb(unjudged: np.ndarray, seen: np.ndarray, most: int) -> np.ndarray:
    """W(n): discounts of the first n unjudged documents, n = 0..most, flat past the last. (Q, most + 1)"""
    first = np.argsort(~unjudged, axis=1, kind="stable")[:, :most]  # (Q, most)
    discount = np.where(np.take_along_axis(unjudged, first, axis=1), seen[first], 0.0)
    return np.pad(discount.cumsum(axis=1), ((0, 0), (1, 0)))


def _dinkelbach(base: np.ndarray, climb: np.ndarray, layers: Layers, reach: np.ndarray) -> np.ndarray:
    """Largest ratio of DCG to ideal over the number of documents raised to each block. (Q,)"""
    raised = np.broadcast_to(np.arange(climb.shape[1]), climb.shape)
    won = layers.height[:, None] * climb[:, None, :]  # (Q, B, R)
    paid = layered_ideal(layers, raised, reach)  # (Q, B, R)
    # start from the better of two labellings: all raised to the top, none raised
    ratio = np.zeros(len(base))
    choice = np.repeat((np.diff(climb) > 0).sum(axis=1)[:, None], won.shape[1], axis=1)  # (Q, B)
    for choice in (choice, np.zeros_like(choice)):
        ratio = np.maximum(ratio, _ratio(base, won, paid, choice))
    while True:
        choice = np.argmax(won - ratio[:, None, None] * paid, axis=2)
        better = np.maximum(ratio, _ratio(base, won, paid, choice))
        if (better - ratio <= 1e-15).all():
            return better
        ratio = better


def _ratio(base: np.ndarray, won: np.ndarray, paid: np.ndarray, choice: np.ndarray) -> np.ndarray:
    """DCG over ideal for a choice of documents raised to each block; 0 for an ideal of 0. (Q, B) -> (Q,)"""
    take = choice[:, :, None]
    dcg = base + np.take_along_axis(won, take, axis=2).sum(axis=(1, 2))
    return over_ideal(dcg, np.take_along_axis(paid, take, axis=2).sum(axis=(1, 2)))
