"""The shipped example is GO, and each single spoiling of it is NO-GO that names its reason and nothing else."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from example import Example, Message

from harness.accept import acceptance
from harness.cli import main
from harness.lab.namespace import LabFault, NoNamespace
from threadrebuild.operation import coordinator
from threadrebuild.operation.household import Refused

POISON = "This request was blocked: policy violation, a refusal loop."


def raising(error: Exception) -> Callable[[], object]:
    def fail() -> None:
        raise error

    return fail


def rewritten(example: Example) -> None:
    example.transcript.write_bytes(example.transcript.read_bytes().replace("银杏叶".encode(), "梧桐叶".encode()))


def broken(example: Example) -> None:
    lines = example.transcript.read_bytes().splitlines(keepends=True)
    example.transcript.write_bytes(b"".join([*lines[:4], b'{"type": "user", \xff\n', *lines[4:]]))


def run(example: Example, *command: str) -> None:
    """Another program in the pane."""
    host = example.tmux.replace(example.process["pane"], *command)
    example.processes.folders[host.pid] = Path(example.process["folder"])


def other_poller(example: Example) -> None:
    example.tmux.open("%9", "DO-NOT-CREATE:0.1", *example.process["command"])


def others_project(example: Example) -> None:
    other = example.project_dir.with_name("-home-user-garden")
    shutil.copytree(example.project_dir, other)
    example.configure(r"^project_dir = .*$", f'project_dir = "{other}"')


def without_first(messages: list[Message]) -> list[Message]:
    return messages[:1] + messages[2:]


SPOILINGS: dict[str, tuple[Callable[[Example], object], str, str]] = {
    "wrong workdir": (
        lambda it: it.configure(r"^claude_workdir = .*$", f'claude_workdir = "{it.home}/elsewhere"'),
        "doctor: workdir_matches_project",
        "elsewhere writes to a folder named",
    ),
    "host in another folder": (
        lambda it: it.processes.folders.update(dict.fromkeys(it.processes.folders, Path("/home/user/elsewhere"))),
        "doctor: workdir_is_the_hosts",
        "the host runs in /home/user/elsewhere",
    ),
    "wrong project folder": (others_project, "doctor: workdir_matches_project", "named -home-user-garden"),
    "missing channel flag": (
        lambda it: it.configure(r'    "--channels",\n.*\n', ""),
        "doctor: resume_command",
        "lacks --channels",
    ),
    "missing Stop hook": (lambda it: it.settings.write_text("{}"), "doctor: stop_hook_installed", "no Stop hook in"),
    "Stop hook of another configuration": (
        lambda it: it.settings.write_text(it.settings.read_text().replace("config.toml", "other.toml")),
        "doctor: stop_hook_installed",
        "no Stop hook in",
    ),
    "other pane process": (lambda it: run(it, "vim", "notes"), "doctor: host_in_pane", "no host in DO-NOT-CREATE:0.0"),
    "dead pane": (
        lambda it: it.world.kill(it.tmux.process_in(it.process["pane"])),
        "doctor: tmux_target_alive",
        "is dead",
    ),
    "somebody else polls": (other_poller, "doctor: single_consumers_free", "telegram"),
    "unknown configuration key": (
        lambda it: it.configure("^activation", "activate = 1\nactivation"),
        "configuration",
        "`activate`",
    ),
    "no transcript": (lambda it: it.transcript.unlink(), "doctor: transcript_count", "transcripts: 0"),
    "no space": (lambda it: it.world.spoil("files", "free_bytes", ["no"]), "room", "0 bytes free"),
    "unreadable transcript": (broken, "plan: blocked_reason", "line 5 at byte"),
    "poisoned tail": (
        lambda it: it.say("继续", POISON, "再试", POISON),
        "plan: blocked_reason",
        "signs of a poisoned context",
    ),
    "nothing said": (lambda it: it.transcript.write_bytes(b"{}\n"), "plan: source_session_id", "wanted set"),
    "other CLI version": (
        lambda it: it.process.update(version="2.1.332 (Claude Code)"),
        "doctor: cli_version",
        "2.1.332 is installed, and 2.1.199 is locked",
    ),
    "unlocked CLI": (lambda it: it.lock.unlink(), "version lock", "no version of the CLI is locked"),
    "odd lock": (lambda it: it.lock.write_text("version = 2"), "doctor: cli_version", "no lock of a version"),
    "no program": (lambda it: it.program.unlink(), "doctor: cli_version", "no program that can be found"),
    "no version": (lambda it: it.process.update(version="no idea"), "doctor: cli_version", "tells no version"),
    "carry of another kind": (
        lambda it: it.configure("^activation", f'carry = "note"\nnote_path = "{it.home}/note"\nactivation'),
        "candidate",
        "only a carry of the dialogue",
    ),
    "turn that stays behind": (
        lambda it: (it.say("还在吗"), it.configure("^activation", "include_open_tail = false\nactivation")),
        "plan: selected_turns",
        "wanted as many as source_turns",
    ),
    "no lab": (
        lambda it: setattr(it, "meanwhile", raising(NoNamespace("unshare is not installed"))),
        "resumed in the lab",
        "the lab cannot run here: unshare is not installed",
    ),
    "not resumed": (
        lambda it: setattr(it, "meanwhile", raising(LabFault("exit code 1: no such session"))),
        "resumed in the lab",
        "does not resume the candidate: exit code 1",
    ),
    "lost when resumed": (
        lambda it: setattr(it, "sends", without_first),
        "resumed in the lab",
        "1 were lost or are nobody's",
    ),
    "never asked when resumed": (
        lambda it: setattr(it, "_resume", lambda candidate, cli, folder: []),
        "resumed in the lab",
        "0 texts byte for byte",
    ),
    "changed transcript": (
        lambda it: setattr(it, "meanwhile", lambda: rewritten(it)),
        "unchanged",
        "the transcript was",
    ),
    "another session meanwhile": (
        lambda it: setattr(
            it, "meanwhile", lambda: shutil.copy(it.transcript, it.transcript.with_name("00000000.jsonl"))
        ),
        "unchanged",
        "00000000.jsonl",
    ),
    "changed configuration": (
        lambda it: setattr(it, "meanwhile", lambda: it.configure("^activation", "stamp_turns = true\nactivation")),
        "unchanged",
        "the configuration was",
    ),
    "changed CLI": (
        lambda it: setattr(it, "meanwhile", lambda: it.program.write_text("another")),
        "unchanged",
        "the CLI was",
    ),
}


def on_disk(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_example_is_go(tmp_path: Path) -> None:
    accepted = Example(tmp_path).accept()
    assert (accepted.verdict, accepted.reasons) == ("GO", [])
    assert {each.state for each in accepted.findings} == {"holds"}
    assert [each.rule for each in accepted.people] == ["TR-157"] * 3 + ["TR-158"] * 3 + ["TR-159"]


@pytest.mark.parametrize("name", SPOILINGS)
def test_a_single_spoiling_is_no_go_and_named(name: str, tmp_path: Path) -> None:
    spoil, check, said = SPOILINGS[name]
    example = Example(tmp_path)
    spoil(example)
    accepted = example.accept()
    assert accepted.verdict == "NO-GO"
    first = next(each for each in accepted.findings if each.state != "holds")
    assert (first.name, said in first.said) == (check, True), accepted.reasons
    assert accepted.reasons[0] == f"{first.name}: {first.said}"
    others = [each for each in accepted.findings if each.state == "fails" and each is not first]
    assert not [each for each in others if each.name.partition(":")[0] != check.partition(":")[0]], "one stage only"


def test_production_is_only_read(tmp_path: Path) -> None:
    example = Example(tmp_path)
    before = on_disk(example.home)
    example.accept()
    after = on_disk(example.home)
    assert {name for name in after if before.get(name) != after[name]} <= {"state/acceptance.json"}
    assert before.keys() <= after.keys()
    asked = {(door, call) for door, call in example.world.calls if door in ("panes", "services", "spawner")}
    assert asked == {("panes", "find"), ("panes", "every")}


def test_the_verdict_is_what_a_request_asks_for(tmp_path: Path) -> None:
    example = Example(tmp_path)

    def asked() -> str:
        try:
            return coordinator.request(example.household(example.config), "", "REBUILD").state
        except Refused as refusal:
            return str(refusal)

    assert "nothing has been accepted yet" in asked()
    example.settings.rename(example.settings.with_suffix(".away"))
    assert example.accept().verdict == "NO-GO"
    assert "NO-GO: doctor: stop_hook_installed" in asked()
    example.settings.with_suffix(".away").rename(example.settings)
    assert example.accept().verdict == "GO"
    example.say("可以换窗了", "好，说完这句就换。")
    assert asked() == "pending"


def test_an_operation_under_way_is_no_go(tmp_path: Path) -> None:
    example = Example(tmp_path)
    example.accept()
    coordinator.request(example.household(example.config), "", "REBUILD")
    assert "no operation under way" in example.accept().reasons[0]


def test_a_verdict_that_cannot_be_kept_is_no_go(tmp_path: Path) -> None:
    example = Example(tmp_path)
    example.world.spoil("files", "replace", ["enospc"])
    accepted = example.accept()
    assert (accepted.verdict, accepted.stored) == ("NO-GO", None)
    assert accepted.reasons[0].startswith("verdict kept:")


def test_json_text_and_exit_code_say_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example = Example(tmp_path)
    monkeypatch.setattr(acceptance, "Outside", lambda: example.outside)
    words = ["accept", "--config", str(example.config), "-o", str(example.out)]
    result = CliRunner().invoke(main, [*words, "--json"])
    told = json.loads(result.stdout)
    assert (result.exit_code, told["verdict"], told["reasons"]) == (0, "GO", [])
    assert told.keys() == {"verdict", "reasons", "checks", "people", "subject", "stored", "report"}
    assert [each["done"] for each in told["people"]] == [None] * 7
    assert json.loads(Path(told["stored"]).read_bytes())["subject"] == told["subject"]
    example.settings.write_text("{}")
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 1
    assert "FAIL doctor: stop_hook_installed" in result.stdout and "NO-GO" in result.stdout
    assert result.stdout.count("[ ] TR-15") == 7
    assert "NO-GO" in Path(told["report"]).read_text(encoding="utf-8")


def test_a_file_that_is_missing_is_a_wrong_use(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["accept", "--config", str(tmp_path / "none.toml"), "-o", str(tmp_path / "out")])
    assert (result.exit_code, (tmp_path / "out").exists()) == (2, False)
    assert "none.toml" in result.stderr
    example = Example(tmp_path)
    example.out.mkdir()
    (example.out / "mine").write_text("mine")
    result = CliRunner().invoke(main, ["accept", "--config", str(example.config), "-o", str(example.out)])
    assert result.exit_code == 2 and "something else" in result.stderr
