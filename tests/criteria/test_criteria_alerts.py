"""Two sources with an authority, and the alert that is decided by one: sent, read back at the receiver, or unproved."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from harness.criteria.alerts import tell, verdict_of
from harness.criteria.comparing import decide
from harness.expect import expect, expect_equal, proves


@dataclass
class Receiver:
    """A channel. `loses`: the sender says that all is well, and nothing arrives. `holds`: what arrived."""

    loses: bool = False
    mute: bool = False
    garbles: bool = False
    down: bool = False
    holds: dict[str, str] = field(default_factory=dict)
    asked: int = 0

    def send(self, text: str) -> str:
        self.asked += 1
        if self.down:
            raise OSError("no route")
        message_id = "" if self.mute else f"om_{self.asked}"
        if not self.loses:
            self.holds[message_id] = text[: 3 if self.garbles else None]
        return message_id

    def received(self, message_id: str) -> str | None:
        return self.holds.get(message_id)


def run(checks: list[bool], end: str | None) -> list[dict[str, Any]]:
    """The steps of a run with these checks, and the verdict of its last step (None: it has none)."""
    steps: list[dict[str, Any]] = [{"kind": "run"}, *({"kind": "check", "ok": ok} for ok in checks)]
    return steps if end is None else [*steps, {"kind": "end", "verdict": end}]


@proves("CR-02")
def test_two_sources_are_not_compared_without_an_authority() -> None:
    """Whoever compares says beforehand who decides; then both values, and the one that decided, are known."""

    def refused(authority: str) -> str | None:
        try:
            decide(authority, {"store": 3, "trace": 2})
        except ValueError as error:
            return str(error)
        return None

    expect_equal("CR-02", refused("store"), None, "a comparison with an authority is made")
    for nobody in ("", "clock"):
        expect("CR-02", "store and trace are compared" in str(refused(nobody)), f"with {nobody!r} it is refused")
    decided = decide("store", {"store": 3, "trace": 2})
    expect_equal("CR-02", (decided.value, decided.by, decided.against), (3, "store", ["trace"]), "the verdict")


@proves("CR-03")
def test_the_wrong_source_has_no_veto() -> None:
    """The checks are red and the last step calls the run green: the message goes out, and says who disagrees."""
    receiver = Receiver()
    told = tell(run([True, False], "green"), receiver, "red")
    expect_equal("CR-03", receiver.asked, 1, "messages sent")
    expect_equal("CR-03", told.decided.against, ["last step"], "the source that says otherwise")
    # The other way round nothing is sent, by the authority's word, and that is an outcome with a name.
    quiet = tell(run([True, True], "red"), receiver, "red")
    expect_equal("CR-03", (receiver.asked, quiet.state), (1, "not sent"), "messages sent, and the outcome")
    expect("CR-03", quiet.said.startswith("checks"), f"it says who decided: {quiet.said}")
    # Where both agree, whatever they agree on, it is done.
    expect_equal("CR-03", tell(run([True], "green"), receiver, "red").state, "not sent", "all green")
    expect_equal("CR-03", tell(run([False], "red"), receiver, "red").decided.against, [], "all red")


@proves("CR-05")
def test_an_alert_counts_once_it_is_read_back() -> None:
    """What the sender answers does not count: the id has to lead to this very message at the receiver."""
    red = run([False], "red")
    arrived = tell(red, Receiver(), "2 red")
    expect("CR-03", arrived.state != "not sent", "a red run is told of")
    expect_equal("CR-05", (arrived.state, arrived.message_id), ("delivered", "om_1"), "a message that arrived")
    for receiver in (Receiver(loses=True), Receiver(mute=True), Receiver(garbles=True), Receiver(down=True)):
        told = tell(red, receiver, "2 red")
        expect_equal("CR-05", (told.state, told.message_id), ("channel unproved", None), f"with {receiver}")


@pytest.mark.parametrize(
    ("steps", "verdict"),
    [
        (run([True], "green"), "green"),
        (run([True], None), "red"),
        (run([], "red"), "green"),
        ([{"kind": "verdict", "verdict": "red"}, {"kind": "end", "verdict": "green"}], "red"),
    ],
)
def test_the_checks_decide_and_a_run_that_was_cut_short_is_red(steps: list[dict[str, Any]], verdict: str) -> None:
    assert verdict_of(steps).value == verdict
