"""Take the README's picture of a report, and on request pictures of all its views, in Chromium without a window.

``python docs/make_report_pictures.py SHARED`` writes docs/report.png: the first screen of a report of TREC-COVID
round 2, whose runs are in the folder SHARED (see CONTRIBUTING.md). With a second folder every view goes there, wide and
light, narrow and dark.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image

import ir_measures_relative as imr

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.browser import Browser, chromium  # noqa: E402

COLOURS = 256  # enough for a page, and less than half the bytes
VIEWS = {
    "runs": "view=runs",
    "groups": "view=groups",
    "topics": "view=topics&base=mpiid5_run3",
    "scatter": "view=scatter",
    "pairs": "view=pairs",
    "next": "view=next",
    "about": "view=about",
    "run": "view=run&run=xj4wang_run3",
    "topic": "view=topic&topic=4",
    "two": "view=two&a=mpiid5_run3&b=mpiid5_run1&topic=4",
}


def main(shared: Path, folder: Path | None = None) -> None:
    track = shared / "data" / "trec-covid-round2"
    with tempfile.TemporaryDirectory() as scratch, chromium() as browser:
        page = imr.report(
            track / "qrels.txt", track / "runs", Path(scratch, "page.html"), groups=track / "groups.csv",
            labels="learned", title="TREC-COVID, round 2",
        )  # fmt: skip
        take(browser, page, VIEWS["runs"], Path(__file__).with_name("report.png"), 1280, 720)
        for name, fragment in VIEWS.items() if folder else ():
            take(browser, page, fragment, folder / f"{name}.png", 1280, 900)
            take(browser, page, fragment, folder / f"{name}-narrow-dark.png", 400, 900, dark=True)


def take(
    browser: Browser, page: Path, fragment: str, picture: Path, width: int, height: int, dark: bool = False
) -> None:
    browser.size(width, height, dark)
    browser.open(page, fragment)
    browser.run("return 0")  # once the page is shown
    seen = Image.open(io.BytesIO(browser.driver.get_screenshot_as_png())).convert("RGB")
    seen.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(picture, optimize=True)
    print(picture)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
