"""One self-contained HTML page made from a run log alone: nothing is fetched, nothing is computed again.

The style and the script are inlined and named by hash in the page's security policy; all else is forbidden.
"""

import base64
import hashlib
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from harness.report import words
from harness.report.lanes import lanes_of, told
from harness.report.reading import read_steps, view_of
from harness.report.text import plain, show
from harness.report.view import Step

HERE = Path(__file__).parent
LONG_TEXT = 4_000  # characters; longer texts scroll in a box of their own


def write_report(run: Path, page: Path) -> None:
    """Write the HTML report of the run log `run` to `page`; the same log gives the same bytes.

    A log without an `end`, or one that breaks off inside its last line, gives a page that says so. Raises
    ValueError, naming the line, where an earlier line is not a step. Every page that shows a transcript states TR-041.
    """
    page.write_text(html_of(*read_steps(run)), encoding="utf-8", newline="\n")


def html_of(steps: list[Step], torn: bool = False) -> str:
    """The page as text, with its style and script named by SHA-256 in the Content-Security-Policy."""
    environment = Environment(
        loader=PackageLoader("harness.report", ""),
        autoescape=True,
        finalize=plain,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["lanes"] = lambda each: lanes_of(each)
    environment.filters["told"] = told
    environment.filters["show"] = lambda value, line_ends=False: show("–" if value is None else str(value), line_ends)
    style, script = ((HERE / f"report.{kind}").read_text(encoding="utf-8") for kind in ("css", "js"))
    return environment.get_template("report.html.j2").render(
        run=view_of(steps, torn),
        words=words,
        long_text=LONG_TEXT,
        style=Markup(style),
        script=Markup(script),
        policy=_policy(style, script),
    )


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
