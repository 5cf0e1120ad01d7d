"""Third parties of a night: what people and programs do that know nothing of an operation, by the words of a story."""

from collections.abc import Callable

from harness.scenario.nights.play import OTHER_SESSION, Play
from harness.world.night import COMMAND, OLD_SESSION, PANE
from harness.world.talk import Talk

CHANNEL = ("--channels", "plugin:telegram@claude-plugins-official")
"""A flag without which the host hears nothing of that channel, and which only one process may have."""
TYPED = "等一下，还有一句"
DRILL = "DO-NOT-CREATE:0.1"


def _open_another(play: Play) -> None:
    path = play.night.host.transcript(OTHER_SESSION)
    if path.exists():
        play.night.talk(lambda talk: talk.user("还在吗"), OTHER_SESSION)
        return
    talk = Talk(version=play.night.host.version, seed=7)
    talk.session = OTHER_SESSION
    talk.user("另开一个窗口")
    play.night.host.begin(OTHER_SESSION, talk)


def _damage(place: str, change: Callable[[bytes], bytes | None]) -> Callable[[Play], None]:
    def damage(play: Play) -> None:
        path = play.place(place)
        play.meddled.add(place)
        if path is None or not path.exists():
            return
        changed = change(path.read_bytes())
        if changed is None:
            path.unlink()
        else:
            path.write_bytes(changed)

    return damage


def _take_door(play: Play, session: str) -> None:
    play.meddled.add("door")
    play.night.take_door(session)


def _start_with_channel(play: Play) -> None:
    night = play.night
    night.tmux.replace(PANE, *night.resumed(OLD_SESSION), *CHANNEL)


def _open_drill(play: Play) -> None:
    play.night.tmux.open("%9", DRILL, COMMAND[0], "--continue", *CHANNEL)


def _close_pane(play: Play) -> None:
    play.meddled.add("door")
    play.night.tmux.close(PANE)


def _deafen(play: Play) -> None:
    assert play.chat is not None, "needs `channel = true`"
    play.chat.deaf = True


def _type(play: Play) -> None:
    live = play.night.live_session()
    if live is not None and play.night.host.transcript(live).exists():
        play.words.append(TYPED)
        play.night.talk(lambda talk: talk.user(TYPED), live)


SOMEBODY: dict[str, Callable[[Play], None]] = {
    "opens another session": _open_another,
    "respawns the pane with another session": lambda play: _take_door(play, OTHER_SESSION),
    "respawns the pane with the old session": lambda play: _take_door(play, OLD_SESSION),
    "goes on in the old session": lambda play: play.night.talk(lambda talk: talk.user("我还在这边"), OLD_SESSION),
    "types into the session that lives": _type,
    "starts the host with a channel flag": _start_with_channel,
    "takes the channel flag from the start command": _deafen,
    "starts the host again": lambda play: play.night.start_host(),
    "appends a row without speech": lambda play: play.night.talk(lambda talk: talk.system("turn_duration")),
    "opens a drill that polls the same channel": _open_drill,
    "closes the pane, and its process lives on": _close_pane,
    "changes the candidate": _damage("candidate", lambda data: data + b"\n"),
    "removes the candidate": _damage("candidate", lambda data: None),
    "changes the old transcript": _damage("old transcript", lambda data: data.replace(b"a", b"b", 1)),
    "removes the old transcript": _damage("old transcript", lambda data: None),
}
"""What somebody may do, by the words of a story."""
