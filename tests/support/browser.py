"""Chromium without a window, for tests of pages."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

PATIENCE = 60  # seconds: a machine may be busy with other things
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
    "--hide-scrollbars",
]  # fmt: skip
# the page's script keeps in S what it has shown last; another page has no S
_SETTLED = """return typeof S === 'undefined'
    || String(new URLSearchParams(S)) === String(new URLSearchParams(location.hash.slice(1)))"""


class Browser:
    """A page in Chromium, the network off."""

    def __init__(self, driver: Any):
        self.driver = driver
        self.size(1280)

    def size(self, width: int, height: int = 900, dark: bool = False) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})

    def open(self, page: Path, fragment: str = "") -> None:
        """Loads a page anew; what it asks for and complains of is listened to from here on."""
        self.driver.get("about:blank")
        for kind in ("browser", "performance"):
            self.driver.get_log(kind)
        self.driver.get(f"{page.resolve().as_uri()}#{fragment}")

    def run(self, script: str, *arguments: Any) -> Any:
        """What a script in the page returns, once the page shows what its address asks for."""
        deadline = monotonic() + PATIENCE
        while not self.driver.execute_script(_SETTLED):
            assert monotonic() < deadline, "the page does not show what its address asks for"
            sleep(0.01)
        return self.driver.execute_script(script, *arguments)

    def texts(self, selector: str) -> list[str]:
        """The text of every element that a selector finds, as the page holds it."""
        return self.run("return [...document.querySelectorAll(arguments[0])].map((node) => node.textContent)", selector)

    def click(self, selector: str) -> None:
        from selenium.common.exceptions import StaleElementReferenceException

        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        for attempt in range(5):
            try:
                return self.driver.find_element("css selector", selector).click()
            except StaleElementReferenceException:  # the page was drawn anew meanwhile, as it is after a resize
                if attempt == 4:
                    raise

    def keys(self, *keys: str) -> None:
        self.driver.switch_to.active_element.send_keys(*keys)

    def downloads(self, folder: Path) -> None:
        """Where the page's downloads go from here on."""
        settings = {"behavior": "allow", "downloadPath": str(folder)}
        self.driver.execute_cdp_cmd("Browser.setDownloadBehavior", settings)

    def downloaded(self, path: Path) -> str:
        """The text of a file, once it is there."""
        deadline = monotonic() + PATIENCE
        while not path.exists():
            assert monotonic() < deadline, f"nothing was downloaded to {path}"
            sleep(0.01)
        return path.read_text("utf-8")

    @property
    def fragment(self) -> dict[str, str]:
        return self.run("return Object.fromEntries(new URLSearchParams(location.hash.slice(1)))")

    def processor_seconds(self) -> float:
        """Processor time that the page's tasks have taken so far, which depends little on how busy the machine is."""
        self.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        metrics = self.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """The addresses that the page has asked for."""
        logged = (json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance"))
        return [m["params"]["request"]["url"] for m in logged if m["method"] == "Network.requestWillBeSent"]


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser for some tests; skips where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium, which drives a browser")
    binary, service = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or service is None:
        pytest.skip("needs Chromium and its driver: 'make browser' installs them where apt-get is there")
    with tempfile.TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = binary
        for flag in [*FLAGS, f"--user-data-dir={profile}"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(service))
        try:
            offline = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
            driver.execute_cdp_cmd("Network.enable", {})
            driver.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
            yield Browser(driver)
        finally:
            driver.quit()
