"""No test leaves a figure open."""

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def no_figure_stays_open() -> Iterator[None]:
    yield
    import matplotlib.pyplot as plt  # here: this file is read without matplotlib too

    plt.close("all")
