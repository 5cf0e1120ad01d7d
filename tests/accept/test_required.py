"""A household that requires an acceptance takes no request without a GO on exactly what is there now."""

import stat
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from harness.expect import expect, expect_equal, proves
from harness.world.night import OLD_SESSION, PANE, Night
from threadrebuild.config import ConfigError, load_settings
from threadrebuild.installed_cli import installed_cli
from threadrebuild.operation import coordinator
from threadrebuild.operation.acceptance import Acceptance, store_acceptance, subject_of
from threadrebuild.operation.by_hand import prepare_by_hand
from threadrebuild.operation.household import Refused
from threadrebuild.ports import Answer

T = TypeVar("T")


def wanting(folder: Path, **settings: Any) -> Night:
    """A night whose household requires an acceptance, with a program that can be changed."""
    folder.mkdir()
    program = folder / "claude"
    program.write_bytes(b"a program")
    facts = {"require_acceptance": True, "resume_command": (str(program), "--resume", "{session_id}")}
    night = Night(folder / "night", **{**facts, **settings})
    night.tmux.replace(PANE, str(program), "--resume", OLD_SESSION)
    answers(night, b"2.1.199 (Claude Code)\n")
    return night


def answers(night: Night, version: bytes, code: int | None = 0) -> None:
    """What the program says of its version."""
    night.processes.on_call = lambda command, given: Answer(code, version)


def in_world(night: Night, action: Callable[[], T]) -> T:
    """What an action answers that may wait, or the refusal it raises."""
    ended: list[T | Refused] = []

    def body() -> None:
        try:
            ended.append(action())
        except Refused as refusal:
            ended.append(refusal)

    night.world.start(night.world.process("check"), body)
    night.world.run()
    if isinstance(ended[0], Refused):
        raise ended[0]
    return ended[0]


def accept(night: Night, verdict: str = "GO", failed: tuple[str, ...] = ()) -> Path:
    """Store a verdict on what is there now."""
    transcript = night.host.transcript(OLD_SESSION)
    cli = in_world(night, lambda: installed_cli(night.settings, night.processes))
    assert not isinstance(cli, str)
    subject = subject_of(night.settings, transcript, transcript.stat().st_size, cli)
    acceptance = Acceptance(verdict=verdict, at=night.world.now, failed=list(failed), subject=subject)  # type: ignore[arg-type]
    return in_world(night, lambda: store_acceptance(night.house, acceptance))


def asked(night: Night) -> str:
    """What a request comes to: the state it leaves, or why it was refused."""
    try:
        return in_world(night, lambda: coordinator.request(night.house, "", "REBUILD")).state
    except Refused as refusal:
        assert refusal.reason == "not-accepted"
        assert not night.house.store.all(), "a refused request puts nothing on record"
        return str(refusal)


@proves("TR-157")
def test_no_request_before_everything_was_looked_at_and_shown(tmp_path: Path) -> None:
    never = asked(wanting(tmp_path / "never"))
    expect("TR-157", "nothing has been accepted yet" in never, f"a request without an acceptance: {never}")
    good = wanting(tmp_path / "good")
    accept(good)
    expect_equal("TR-155", asked(good), "pending", "a GO lets a request through")
    changed = wanting(tmp_path / "changed")
    accept(changed)
    changed.host.append("bbbb", lambda talk: talk.user("喂"))
    said = asked(changed)
    expect("TR-157", "the transcript was" in said, f"the plan that was shown was another session's: {said}")
    free = wanting(tmp_path / "free", require_acceptance=False)
    expect_equal("TR-157", asked(free), "pending", "a household that leaves it to people")


@proves("TR-155")
def test_after_a_check_that_does_not_hold_nothing_goes_on(tmp_path: Path) -> None:
    never = asked(wanting(tmp_path / "never"))
    expect("TR-157", "nothing has been accepted yet" in never, f"a request without an acceptance: {never}")
    bad = wanting(tmp_path / "bad")
    accept(bad, "NO-GO", ("doctor: host_in_pane", "plan"))
    said = asked(bad)
    expect("TR-155", "NO-GO: doctor: host_in_pane" in said, f"a request after a check that failed: {said}")
    good = wanting(tmp_path / "good")
    accept(good)
    expect_equal("TR-155", asked(good), "pending", "a request after checks that all hold")


def test_whatever_has_changed_since_is_named_and_nothing_else(tmp_path: Path) -> None:
    def rewrite(night: Night) -> None:
        path = night.host.transcript(OLD_SESSION)
        path.write_bytes(path.read_bytes().replace("早".encode(), "晚".encode()))

    def cut(night: Night) -> None:
        path = night.host.transcript(OLD_SESSION)
        path.write_bytes(path.read_bytes()[:-10])

    def configure(night: Night) -> None:
        settings = msgspec.structs.replace(night.settings, stamp_turns=True)
        object.__setattr__(night.house, "settings", settings)

    def hang(night: Night) -> None:
        night.processes.call_takes = float("inf")

    changes: dict[str, tuple[Callable[[Night], object], str]] = {
        "rewritten": (rewrite, "the transcript was"),
        "cut": (cut, "the transcript was"),
        "another session": (lambda night: night.host.append("bbbb", lambda talk: talk.user("喂")), "bbbb.jsonl"),
        "configured": (configure, "the configuration was"),
        "upgraded": (lambda night: answers(night, b"2.1.332 (Claude Code)"), "the CLI was 2.1.199"),
        "replaced": (lambda night: (tmp_path / "replaced" / "claude").write_bytes(b"!"), "the CLI was 2.1.199"),
        "removed": (lambda night: (tmp_path / "removed" / "claude").unlink(), "no program that can be found"),
        "silent": (lambda night: answers(night, b"", 1), "--version tells no version"),
        "hanging": (hang, "--version did not run to its end within 20 s"),
    }
    for name, (change, named) in changes.items():
        night = wanting(tmp_path / name)
        accept(night)
        change(night)
        said = asked(night)
        assert named in said, (name, said)
        assert said.count(" was ") == (name not in ("removed", "silent", "hanging")), (name, said)


def test_what_is_prepared_is_what_was_accepted(tmp_path: Path) -> None:
    for name, wanted in (("accepted", "verifying"), ("other", "failed")):
        night = wanting(tmp_path / name)
        accept(night)
        assert asked(night) == "pending"
        other = night.project_dir / "other.jsonl"
        other.write_bytes(night.host.wrote(OLD_SESSION).replace("早".encode(), "晚".encode()))
        transcript = night.host.transcript(OLD_SESSION) if name == "accepted" else other
        operation = in_world(night, lambda: prepare_by_hand(night.house, transcript))  # noqa: B023
        assert operation.state == wanted, operation.error
        assert wanted == "verifying" or "other.jsonl" in str(operation.error)


def test_talk_that_goes_on_is_no_change(tmp_path: Path) -> None:
    night = wanting(tmp_path / "night")
    accept(night)
    night.talk(lambda talk: talk.user("可以换窗了"))
    assert asked(night) == "pending"


def test_an_acceptance_counts_for_so_many_hours(tmp_path: Path) -> None:
    for name, hours, wanted in (("fresh", 12.0, True), ("old", 12.001, False), ("of tomorrow", -0.001, False)):
        night = wanting(tmp_path / name, acceptance_hours=12)
        accept(night)
        night.world.now += timedelta(hours=hours)
        assert (asked(night) == "pending") is wanted, name


def test_what_lies_there_is_private_and_holds_no_word_of_the_talk(tmp_path: Path) -> None:
    night = wanting(tmp_path / "night")
    path = accept(night)
    accept(night)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in path.parent.glob("acceptance*")] == ["acceptance.json"]
    assert "早" not in path.read_text(encoding="utf-8")


def test_a_file_that_is_no_acceptance_is_none(tmp_path: Path) -> None:
    for number, text in enumerate(
        (b"", b"{}", b"[]", b'{"verdict": "PERHAPS"}', _of(b"yesterday"), _of(b"2026-08-14T14:00:00"))
    ):
        night = wanting(tmp_path / str(number))
        accept(night).write_bytes(text)
        assert "no acceptance" in asked(night), text


def _of(time: bytes) -> bytes:
    return b'{"verdict": "GO", "at": "%s", "failed": [], "subject": null}' % time


def test_the_settings_of_acceptance_have_bounds(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    for text, loads in {
        "require_acceptance = true": True,
        "require_acceptance = 1": False,
        "acceptance_hours = 0": False,
        "acceptance_hours = 0.5": True,
        "acceptance_hours = 744.0": True,
        "acceptance_hours = 744.1": False,
        "acceptance_hours = inf": False,
    }.items():
        file.write_text(text, encoding="utf-8")
        try:
            load_settings(file)
        except ConfigError as error:
            assert not loads and text.partition(" ")[0] in str(error), text
        else:
            assert loads, text
