"""Takes pictures of a report of the simulated track, light and dark, in Chromium without a window."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import ir_measures_relative as imr

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.browser import chromium  # noqa: E402

VIEWS = {
    "runs": "view=runs&base=bm25",
    "topics": "view=topics&base=bm25",
    "scatter": "view=scatter",
    "pairs": "view=pairs",
    "run": "view=run&run=bm25",
    "topic": "view=topic&topic=3",
    "two": "view=two&a=bm25&b=hybrid&topic=3",
}


def main(folder: Path) -> None:
    track = imr.simulate.track(seed=0)
    with tempfile.TemporaryDirectory() as scratch, chromium() as browser:
        page = imr.report(
            track.qrels, track.runs, Path(scratch, "page.html"), groups=track.groups, title="A simulated track"
        )
        for dark in (False, True):
            browser.size(1280, 800, dark)
            for name, fragment in VIEWS.items():
                browser.open(page, fragment)
                picture = folder / f"report-{name}{'-dark' if dark else ''}.png"
                browser.driver.save_screenshot(str(picture))
                print(picture)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
