"""The shipped archives, and how they were made: nights in the simulated world, lived through by a core as it was then.

`python -m harness.incident.made golden/incidents scenarios/incidents` makes each anew, and the scenario that pins it.
Where an incident shows a loss, the fix is taken out of the core while the night lasts; what the record then holds is
what an old core would have left behind.
"""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from harness.incident.archive import read_archive
from harness.incident.pinning import scenario_of
from harness.incident.replaying import replay
from harness.world.channel import Chat
from harness.world.night import OLD_SESSION, Night
from harness.world.talk import Talk
from threadrebuild.operation import coordinator

HOME = "/home/user"
"""Stands in the records for the folder that the night was simulated in."""
_CONFIG = f"""project_dir = "{HOME}/-home-user-project"
claude_workdir = "{HOME}/project"
state_dir = "{HOME}/state"
activation = "tmux"
tmux_target = "DO-NOT-CREATE:0.0"
resume_command = ["/bin/false", "--resume", "{{session_id}}"]
"""


def deaf_window(folder: Path) -> Night:
    """TR-166: activated, all checks green, own replies go out; nothing comes in until the old session is taken back."""
    talk = Talk(seed=1)
    for asked, answered in _EVENING:
        talk.channel(asked)
        talk.tool("Bash", {"command": "sensor --all"}, result="basil 11%\nmint 38%")
        talk.reply(answered)
    night = Night(folder, seed=166, talk=talk)
    chat = Chat(night)

    def switched() -> None:
        chat.deaf = True  # the start command lacks the channel flag

    chat.on_start.append(switched)
    _ask(night, "窗口满了，夜里换")
    night.world.at(60, lambda: chat.say("换好了吗"))
    night.world.at(90, lambda: night.talk(lambda talk: talk.reply("我换好了，在新窗里。"), _new(night)))
    night.world.at(300, lambda: chat.say("在吗？怎么不回我"))
    night.world.at(600, lambda: chat.say("喂"))
    night.world.at(900, lambda: night.talk(lambda talk: talk.user("这个窗收不到我的消息，换回去"), _new(night)))
    night.world.at(905, lambda: night.talk(lambda talk: talk.reply("好，这就换回去。"), _new(night)))
    night.world.at(910, lambda: chat.on_start.append(lambda: setattr(chat, "deaf", False)))
    night.world.at(910, lambda: coordinator.request_rollback(night.house, "ROLLBACK"))
    night.world.at(911, lambda: night.end_turn(_new(night)))
    night.world.run(3_600)
    return night


def lost_channel_talk(folder: Path) -> Night:
    """TR-164: three turns typed at the terminal are carried, and twenty-two over the channel are invisible."""
    talk = Talk(seed=2)
    for number, (asked, answered) in enumerate(_WEEK):
        if number in (0, 8, 16):
            talk.user(asked)
            talk.assistant(answered)
            continue
        talk.channel(asked, idle=number % 3 > 0)
        if number % 3 == 0:
            talk.tool("Bash", {"command": f"sensor --day {number}"}, result=f"moisture {10 + number}%")
        talk.reply(answered)
    with _blind():
        night = Night(folder, seed=164, talk=talk)
        _ask(night, "夜里换窗")
        night.world.run(3_600)
    return night


def third_party(folder: Path) -> Night:
    """TR-106, TR-107: while the worker prepares, somebody opens another session of the project; nothing is switched."""
    talk = Talk(seed=3)
    for asked, answered in _EVENING:
        talk.user(asked)
        talk.assistant(answered)
    night = Night(folder, seed=107, talk=talk)
    other = Talk(seed=7)
    other.session = "bbbbbbbb-0000-4000-8000-000000000002"
    other.user("我另开一个窗口看看")
    _ask(night, "夜里换窗")

    def opened() -> None:
        night.world.wait_until(lambda: night.latest().state == "verifying", 600)
        night.host.begin(other.session, other)

    night.world.start(night.outside(), opened)
    night.world.run(3_600)
    return night


MADE: dict[str, Callable[[Path], Night]] = {
    "deaf-window": deaf_window,
    "lost-channel-talk": lost_channel_talk,
    "third-party": third_party,
}
"""The archives by name."""


def make(name: str, folder: Path) -> Path:
    """Live through one night and put its evidence into `folder`, which must not exist. Returns it."""
    with tempfile.TemporaryDirectory() as made:
        night = MADE[name](Path(made))
        operation = night.latest()
        state = Path(night.settings.state_dir)
        shutil.copytree(state / "artifacts" / operation.id, folder / "artifacts" / operation.id)
        (folder / "operations").mkdir()
        record = (state / "operations" / f"{operation.id}.json").read_text(encoding="utf-8")
        (folder / "operations" / f"{operation.id}.json").write_text(record.replace(made, HOME), encoding="utf-8")
    (folder / "worker.log").write_bytes(b"")  # as a worker leaves it that met no error
    (folder / "config.toml").write_text(_CONFIG, encoding="utf-8")
    return folder


@contextmanager
def _blind() -> Iterator[None]:
    """The core before 2026-08-14: no message of a channel, no queued input and no reply through a tool is speech."""
    provenance = "threadrebuild.transcript.provenance"
    with (
        patch(f"{provenance}.is_channel_message", lambda text: False),
        patch(f"{provenance}.is_prompt", lambda queued: False),
        patch(f"{provenance}.is_reply_tool", lambda name, patterns: False),
    ):
        yield


def _ask(night: Night, reason: str) -> None:
    night.ask_for_rebuild(reason)
    night.world.at(1, lambda: night.end_turn(OLD_SESSION))


def _new(night: Night) -> str:
    session = night.latest().new_session_id
    assert session is not None
    return session


_EVENING = (
    ("到家了，先问一句：阳台那盆薄荷浇了没有", "浇了，早上七点浇的，土还是湿的。"),
    ("那罗勒呢", "罗勒有点干，只有百分之十一，明早补水。"),
    ("不急，我先去洗个澡", "好，你先去，我把今天的记录写完。"),
    ("Remind me to call Mira tomorrow at nine", "I will: Mira, tomorrow at nine."),
    ("晚上会降温吗", "会，后半夜到六度，薄荷要搬进来。"),
)
_WEEK = (
    ("今晚我在手机上说，你看着消息就行", "好，我在这边等着。"),
    ("阳台那盆薄荷浇了没有", "浇了，早上七点浇的。"),
    ("那罗勒呢", "罗勒有点干，明早补水。"),
    ("你先查，我去洗个澡", "查完了，只有百分之十一。"),
    ("Did the parcel arrive?", "Yes, at noon; Mira took it in."),
    ("谢谢她", "已经转告了。"),
    ("周末去山里的路通了吗", "通了，昨天下午解的封。"),
    ("那订两个人的房间", "订好了，湖边那家，周六一晚。"),
    ("我在终端上了，把账单给我看看", "这是本月的：水电一百二十三。"),
    ("比上个月多？", "多了十九，空调开得久。"),
    ("好吧", "我把定时改到两点关。"),
    ("明早六点叫我", "好，六点。"),
    ("闹钟响了我没听见", "我又叫了两遍，六点十分你回的。"),
    ("今天降温，穿什么", "外套加围巾，风大。"),
    ("Mira says the lake is frozen", "At the shore only, she wrote at eight."),
    ("那还去吗", "去，路和房间都没问题。"),
    ("回终端了，备份跑完了没有", "跑完了，四百一十二个文件。"),
    ("有没有报错", "一个，照片库里一张读不出来。"),
    ("哪一张", "去年生日那张，另一份拷贝是好的。"),
    ("吓我一跳", "我已经拿好的那份补上了。"),
    ("晚饭想吃面", "家里还有两把，鸡蛋三个。"),
    ("再买点青菜", "写在单子上了。"),
    ("妈妈来电话了吗", "来过，说周日过来。"),
    ("那周日把花搬进来", "好，薄荷和罗勒一起搬。"),
    ("睡了，晚安", "晚安，六点叫你。"),
)


def pinned(archive: Path, recording: str) -> str:
    """The scenario that pins an archive whose recording lies at a path from the checkout's root."""
    with tempfile.TemporaryDirectory() as name:
        return scenario_of(replay(read_archive(archive), Path(name) / "replay"), recording)


def main(archives: Path, scenarios: Path) -> None:
    """Make them all anew, and the scenarios that pin them; both folders lie in the checkout that this runs in."""
    for name in MADE:
        shutil.rmtree(archives / name, ignore_errors=True)
        archive = read_archive(make(name, archives / name))
        text = pinned(archive.root, archive.transcript.as_posix())
        (scenarios / f"{name}.toml").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
