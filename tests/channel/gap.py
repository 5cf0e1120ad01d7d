"""A household with a chat channel, on a night in which a rebuild is asked for."""

from collections.abc import Callable
from pathlib import Path

from harness.expect import expect
from harness.world.channel import Chat
from harness.world.kernel import Fault
from harness.world.night import OLD_SESSION, Night
from threadrebuild.operation.states import ENDS


class GapNight(Night):
    """A night with a channel, over which the user has said something before.

    With `begin_switch` right away, the worker holds messages from 4.9 s after the world's start, the pane is respawned
    at 5.9, its plugin is connected at 6.9, and the health check is over at 10.9.
    """

    def __init__(self, folder: Path, faults: tuple[Fault, ...] = (), holds: bool = True, **settings: object) -> None:
        channel_dir = str(folder / "channel") if holds else None
        super().__init__(folder, faults=faults, channel_dir=channel_dir, **settings)
        self.chat = Chat(self)
        self.world.run()
        self.chat.say("在吗")
        self.world.run(seconds=5)
        expect("TR-127", "1" in self.chat.heard(OLD_SESSION), "a message that no process has seen is sent")

    def switch(self) -> None:
        """Ask for a rebuild, end the turn, and let the night pass."""
        self.begin_switch()
        self.world.run()

    def begin_switch(self) -> None:
        """Ask for a rebuild and end the turn."""
        self.talk(lambda talk: talk.user("可以换窗了"))
        self.talk(lambda talk: talk.assistant("好，说完这句就换。"))
        self.ask_for_rebuild("夜里换窗")
        self.end_turn()

    def expect_worker_at_work(self) -> None:
        """For checks of what a switch does to messages: its worker was not taken for another's."""
        state = self.latest().state
        expect("TR-L25", state in ENDS, f"the worker keeps its operation and brings it to an end: {state}")

    def files_before(self, call: str, action: Callable[[], object]) -> None:
        """Let somebody else act, once, right before the worker's next call of this name on its files."""
        original = getattr(self.files, call)

        def interrupted(*arguments: object) -> object:
            setattr(self.files, call, original)
            action()
            return original(*arguments)

        setattr(self.files, call, interrupted)

    @property
    def new_session(self) -> str:
        """The session that the latest operation made."""
        session = self.latest().new_session_id
        assert session is not None
        return session
