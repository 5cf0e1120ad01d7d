"""A household with a chat channel, on a night in which a rebuild is asked for."""

from pathlib import Path

from harness.world.channel import Chat
from harness.world.kernel import Fault
from harness.world.night import Night


class GapNight(Night):
    """A night with a channel; the user and the assistant have talked over it before."""

    def __init__(self, folder: Path, faults: tuple[Fault, ...] = (), holds: bool = True, **settings: object) -> None:
        channel_dir = str(folder / "channel") if holds else None
        super().__init__(folder, faults=faults, channel_dir=channel_dir, **settings)
        self.chat = Chat(self)

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

    @property
    def new_session(self) -> str:
        """The session that the latest operation made."""
        session = self.latest().new_session_id
        assert session is not None
        return session
