"""The criteria at work: what `run`, `tell` and `rounds` say, what the report shows, and what does not load."""

import json
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rounds_told import told, without

from harness.cli import main
from harness.criteria.replies import Question
from harness.runlog import read_run
from harness.scenario.loading import ScenarioError
from harness.scenario.stories.kinds import KINDS, kind_named
from harness.scenario.stories.loading import load_stories
from harness.world.reviewer import Problem

ROOT = Path(__file__).parents[2]
SENT = ROOT / "scenarios" / "criteria" / "the-phone-decides-what-was-sent.toml"
NIGHT = ROOT / "scenarios" / "rebuild" / "nights" / "the-worker-dies-at-candidate.toml"
SEND = "import sys, pathlib; pathlib.Path({box!r}).write_text(sys.stdin.read()); print('om_7')"
READ = "import sys, pathlib; print(pathlib.Path({box!r}).read_text() if sys.argv[1] == 'om_7' else '')"


def rebuild(*args: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in args])


def scenario(folder: Path, text: str) -> Path:
    """A scenario in a checkout of its own, with the shipped catalogue."""
    rules = folder / "scenarios" / "rules"
    rules.mkdir(parents=True, exist_ok=True)
    for file in (ROOT / "scenarios" / "rules").glob("*.md"):
        (rules / file.name).write_bytes(file.read_bytes())
    path = folder / "scenarios" / "told.toml"
    path.write_text(text, encoding="utf-8")
    return path


def red_run(folder: Path) -> Path:
    """A run with one red scenario of two."""
    broken = scenario(folder, SENT.read_text(encoding="utf-8").replace('"欢迎回家。", "晚安。"]', '"欢迎回家。"]', 1))
    assert rebuild("run", broken, "--out", folder / "out").exit_code == 1
    return folder / "out"


def python(code: str, box: Path) -> str:
    return shlex.join([sys.executable, "-c", code.format(box=str(box))])


def test_a_red_run_counts_its_failures_by_label_and_a_green_one_its_state(tmp_path: Path) -> None:
    end = read_run(red_run(tmp_path) / "run.jsonl")[-1]
    assert {label: count for label, count in end["labels"].items() if count} == {"expectation": 1}
    assert (end["red"], end["scenarios"]) == (1, {"incidents": 0, "precautions": 1})
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Failures by label" in page and "Nobody was told of this: channel unproved." in page
    done = rebuild("run", SENT, "--out", tmp_path / "green", "--json")
    assert json.loads(done.stdout)["field"]["wording"] == "fixed, zero field acceptance"
    assert "fixed, zero field acceptance" in (tmp_path / "green" / "report.html").read_text(encoding="utf-8")


def test_an_acceptance_of_this_version_is_said_and_another_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "accept").mkdir()
    steps = [
        {"step": 1, "kind": "run", "version": "0.1.0"},
        {"step": 2, "kind": "acceptance", "verdict": "GO", "subject": {"transcript_sha256": "ab12"}},
    ]
    (tmp_path / "accept" / "run.jsonl").write_text("\n".join(map(json.dumps, steps)), encoding="utf-8")
    done = rebuild("run", SENT, "--out", tmp_path / "out", "--accepted", tmp_path / "accept", "--json")
    field = json.loads(done.stdout)["field"]
    assert (field["wording"], field["acceptance"]) == ("accepted in the field", "ab12")
    refused = rebuild("run", SENT, "--out", tmp_path / "out", "--accepted", tmp_path)
    assert (refused.exit_code, "no acceptance run" in refused.stderr) == (2, True)


def test_a_zero_is_logged_with_what_shows_that_it_could_be_more(tmp_path: Path) -> None:
    assert rebuild("run", NIGHT, "--out", tmp_path / "out").exit_code == 0
    controls = {step["name"]: step["control"] for step in read_run(tmp_path / "out" / "run.jsonl") if "control" in step}
    assert controls["never"] is None
    assert controls["place"] == "scenarios/rebuild/nights/the-worker-dies-at-candidate.toml twin 1 expect[0]"
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "the same instrument sees something in" in page and "not known from this run" in page


def test_an_alert_that_arrived_has_its_id_in_the_report(tmp_path: Path) -> None:
    out, box = red_run(tmp_path), tmp_path / "box"
    done = rebuild("tell", out, "--send", python(SEND, box), "--read", python(READ, box))
    assert (done.exit_code, done.stdout) == (0, "delivered: the receiver has it as om_7\n")
    assert box.read_text(encoding="utf-8").startswith("1 red (1 expectation)\nrebuild-harness run ")
    steps = read_run(out / "run.jsonl")
    assert [step["step"] for step in steps] == list(range(1, len(steps) + 1))
    assert (steps[-1]["kind"], steps[-1]["message_id"]) == ("alert", "om_7")
    assert "<b>om_7</b>, read back at the receiver" in (out / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("send", "read"),
    [
        ("print('om_7')", READ),
        (SEND, "print('something else')"),
        ("raise SystemExit(3)", READ),
        (SEND.replace("print('om_7')", ""), READ),
    ],
)
def test_an_alert_that_was_only_sent_leaves_the_channel_unproved(tmp_path: Path, send: str, read: str) -> None:
    out, box = red_run(tmp_path), tmp_path / "box"
    box.write_text("an old message", encoding="utf-8")
    done = rebuild("tell", out, "--send", python(send, box), "--read", python(read, box), "--json")
    told_of = json.loads(done.stdout)
    assert (done.exit_code, told_of["state"], told_of["message_id"]) == (1, "channel unproved", None)
    assert "<b>channel unproved</b>" in (out / "report.html").read_text(encoding="utf-8")


def test_nobody_is_told_of_a_green_run_and_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    assert rebuild("run", SENT, "--out", tmp_path / "out").exit_code == 0
    done = rebuild("tell", tmp_path / "out", "--send", "false", "--read", "false")
    assert (done.exit_code, done.stdout) == (0, "not sent: checks say that the run is green\n")
    assert rebuild("tell", tmp_path, "--send", "false", "--read", "false").exit_code == 2


@pytest.mark.parametrize("tail", ["", "\n", '{"step": 3, "kind": "ver'])
def test_somebody_is_told_of_a_run_that_was_killed_and_its_log_stays_one(tmp_path: Path, tail: str) -> None:
    run, box = tmp_path / "run", tmp_path / "box"
    run.mkdir()
    whole = '{"step": 1, "kind": "run", "command": "rebuild-harness run x", "version": "1", "settings": {}}\n'
    check = '{"step": 2, "kind": "verdict", "transcript": 0, "verdict": "green", "why": []}'
    (run / "run.jsonl").write_text(f"{whole}{check}" + (tail if tail in ("", "\n") else f"\n{tail}"), encoding="utf-8")
    done = rebuild("tell", run, "--send", python(SEND, box), "--read", python(READ, box))
    assert (done.exit_code, done.stdout) == (0, "delivered: the receiver has it as om_7\n"), done.output
    assert [(step["step"], step["kind"]) for step in read_run(run / "run.jsonl")][1:] == [(2, "verdict"), (3, "alert")]


@pytest.mark.parametrize(
    ("send", "read"),
    [
        ("import sys; sys.stdout.buffer.write(bytes([255]))", READ),
        ("print(chr(0))", READ),
        (SEND, "import sys; sys.stdout.buffer.write(bytes([255]))"),
    ],
)
def test_what_is_no_text_proves_no_channel_and_is_recorded(tmp_path: Path, send: str, read: str) -> None:
    out, box = red_run(tmp_path), tmp_path / "box"
    box.write_text("an old message", encoding="utf-8")
    assert rebuild("tell", out, "--send", python(send, box), "--read", python(read, box)).exit_code == 1
    assert read_run(out / "run.jsonl")[-1]["state"] == "channel unproved"


def test_half_a_surrogate_pair_in_a_command_is_told_all_the_same(tmp_path: Path) -> None:
    run, box = tmp_path / "run", tmp_path / "box"
    run.mkdir()
    (run / "run.jsonl").write_text('{"step": 1, "kind": "run", "command": "run \\ud800"}\n', encoding="utf-8")
    done = rebuild("tell", run, "--send", python(SEND, box), "--read", python(READ, box))
    assert (done.exit_code, "\\ud800" in box.read_text(encoding="utf-8")) == (0, True), done.output


@pytest.mark.parametrize(("send", "said"), [("", "names no command"), ("it's", "No closing quotation")])
def test_a_channel_that_is_no_command_is_a_usage_error(tmp_path: Path, send: str, said: str) -> None:
    out = red_run(tmp_path)
    for words in (("--send", send, "--read", "true"), ("--send", "true", "--read", send)):
        done = rebuild("tell", out, *words)
        assert (done.exit_code, said in done.stderr) == (2, True), done.output


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1", "line 2: not a step"),
        ("{}", "line 2: not a step"),
        ("", "line 2: not a step"),
        ('{"step": 2, "kind": "check", "ok": "yes"}', "line 2: not a step"),
        ('{"step": 2, "kind": "end"}', "line 2: not a step"),
        ('{"step": 2, "kind": "end", "verdict": "red", "labels": [1]}', "$.labels"),
        ('{"step": 2, "kind": "end", "verdict": "red", "labels": {"other": NaN}}', "$.labels"),
        ('{"step": 2, "kind": "acceptance", "verdict": "GO", "subject": [1]}', "$.subject"),
        ('{"step": 2, "kind": ' + "[" * 100_000, "line 2: not a step"),
    ],
)
def test_a_line_that_is_no_step_is_named_by_whoever_reads_the_run(tmp_path: Path, line: str, said: str) -> None:
    run = tmp_path / "run"
    run.mkdir()
    log = '{"step": 1, "kind": "run", "command": "x", "version": "1"}\n' + line + '\n{"step": 3, "kind": "end"}\n'
    (run / "run.jsonl").write_text(log, encoding="utf-8")
    told(tmp_path)
    round_ = tmp_path / "round.toml"
    round_.write_text(round_.read_text(encoding="utf-8").replace("before.jsonl", "run/run.jsonl"), encoding="utf-8")
    for done in (
        rebuild("tell", run, "--send", "true", "--read", "true"),
        rebuild("rounds", round_, "--root", tmp_path / "checkout"),
        rebuild("run", SENT, "--out", tmp_path / "out", "--accepted", run),
    ):
        assert (done.exit_code, said in done.stderr) == (2, True), done.output


def test_rounds_say_which_step_is_due_and_who_holds_it(tmp_path: Path) -> None:
    told(tmp_path, without("use"), without("again"))
    done = rebuild("rounds", tmp_path / "round.toml", "--root", tmp_path / "checkout")
    assert done.exit_code == 1
    first, second, *counts = done.stdout.splitlines()
    assert (first, second) == (
        "fixed, zero field acceptance: 读历史有问题",
        "  step 5, use, by 现场 (site): nobody has used it",
    )
    assert "  read, and nothing stored: 14 before, not counted after" in counts
    told(tmp_path)
    closed = rebuild("rounds", tmp_path, "--root", tmp_path / "checkout", "--json")
    assert (closed.exit_code, json.loads(closed.stdout)["rounds"][0]["wording"]) == (0, "verified")
    assert rebuild("rounds", tmp_path / "checkout" / "memory").exit_code == 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (', authority = "phone"', "", "phone and store are compared, and it is not said who decides"),
        ('authority = "phone"', 'authority = "mailbox"', "it is not said who decides"),
        ('kind = "review"', 'kind = "review"\nincident = "RV-35"', "no rule that tells an incident: a precaution"),
        ('kind = "review"', 'kind = "review"\nincident = 7', "says which: a date"),
    ],
)
def test_what_the_criteria_refuse_does_not_load(tmp_path: Path, old: str, new: str, said: str) -> None:
    text = SENT.read_text(encoding="utf-8")
    assert old in text
    with pytest.raises(ScenarioError, match=said):
        load_stories(scenario(tmp_path, text.replace(old, new)))


def test_a_story_that_only_asks_for_absences_is_red(tmp_path: Path) -> None:
    story = 'story = [{ at = "22:00", user = "在吗" }]\nexpect = [{ rule = "RV-02", ran = [] }]\n'
    text = f'title = "x"\nkind = "review"\n{story}'
    done = rebuild("run", scenario(tmp_path, text), "--out", tmp_path / "out")
    assert done.exit_code == 1
    assert "nothing but absences is asked for" in done.stdout


def test_a_kind_that_asks_models_what_they_cannot_read_does_not_load(monkeypatch: pytest.MonkeyPatch) -> None:
    review = kind_named("review")
    unreadable = {"about": "the material names nobody"}
    made = type(review)(**{**vars(review), "questions": [Question("review", Problem, unreadable)]})
    monkeypatch.setattr(f"{KINDS['review']}.KIND", made)
    with pytest.raises(TypeError, match=r"kind review: review: Problem asks for `about`, which cannot be read"):
        kind_named("review")


def test_what_a_recording_never_held_proves_nothing_by_being_absent(tmp_path: Path) -> None:
    for suffix in (".jsonl", ".expect.json"):
        (tmp_path / f"plain{suffix}").write_bytes((ROOT / "golden" / "made" / f"plain{suffix}").read_bytes())
    stated = json.loads((tmp_path / "plain.expect.json").read_bytes()) | {"absent": ["从来没有人说过的话"]}
    (tmp_path / "plain.expect.json").write_text(json.dumps(stated), encoding="utf-8")
    done = rebuild("replay", tmp_path / "plain.jsonl", "--out", tmp_path / "out", "--json")
    assert (done.exit_code, json.loads(done.stdout)["labels"]["expectation"]) == (1, 1)
    assert "absent" in json.loads(done.stdout)["transcripts"][0]["why"][0]
