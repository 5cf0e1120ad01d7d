"""The pointer file: one line with one session id, which whatever starts the host reads before anything else (TR-118).

It is replaced as a whole, so that a reader sees the old line or the new one. Absent and empty are told apart (TR-120).
"""

from pathlib import Path

from threadrebuild.doors.door import is_session_id
from threadrebuild.ports import Files, Outcome

LONGEST_BYTES = 1024
"""A file longer than this is taken for something else than a pointer."""


class NoPointer(Exception):
    """The file cannot be read, or holds something else than one session id: it must not be overwritten."""


class PointerFile:
    """The file at `path`. Its content counts byte for byte; only the session id in it is read loosely."""

    def __init__(self, path: Path, files: Files) -> None:
        self.path = path
        self._part = path.with_name(f".{path.name}.part")
        self._files = files

    def read(self) -> str | None:
        """What the file holds, None where there is none. Raises `NoPointer`."""
        try:
            with self.path.open("rb") as file:
                content = file.read(LONGEST_BYTES + 1).decode()
        except FileNotFoundError:  # TR-120
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise NoPointer(f"{self.path}: {error}") from None
        if len(content) > LONGEST_BYTES or not (content.strip() == "" or is_session_id(session_in(content))):
            raise NoPointer(f"{self.path}: holds something else than one session id")
        return content

    def write(self, session_id: str, over: str | None) -> Outcome:
        """Make the pointer name a session, durably; an id of another shape is refused (TR-111).

        `over` is what it has to hold until then; where it holds something else it is left alone: `changed`.
        """
        if not is_session_id(session_id):  # TR-111
            return Outcome(False, f"{session_id!r} is no session id")
        return self.put_back(f"{session_id}\n", over)

    def take_over(self, recorded: str | None, session_id: str, instead_of: str | None) -> Outcome:
        """Make the pointer name a session, where it holds what was recorded, or names `instead_of`."""
        try:
            now = self.read()
        except NoPointer as error:
            return Outcome(False, str(error), changed=True)
        if now != recorded and session_in(now) not in (instead_of, session_id):
            return Outcome(False, f"{self.path} names somebody else", changed=True)
        return self.write(session_id, now)

    def names(self, session_id: str) -> bool:
        """Whether the pointer can be read and names a session."""
        try:
            return session_in(self.read()) == session_id
        except NoPointer:
            return False

    def give_back(self, recorded: str | None, session_id: str) -> Outcome:
        """Make the file hold what was recorded, where a switch has made it name `session_id`."""
        if self.names(session_id):
            return self.put_back(recorded, self.read())
        try:
            self._files.remove(self._part)
        except OSError as error:
            return Outcome(False, f"{self._part}: {error.strerror or error}")
        return Outcome(True, f"{self.path} is not what a switch made of it")

    def put_back(self, content: str | None, over: str | None) -> Outcome:
        """Make the file hold what it held before, or be absent as before, if it still holds `over`.

        No file system compares and renames in one step: who writes between the two is overwritten.
        """
        try:
            self._files.remove(self._part)
            if content is not None:
                with self._files.create(self._part) as file:
                    file.write(content.encode())
                    self._files.sync(file)
            if self.read() != over:
                self._files.remove(self._part)
                return Outcome(False, f"{self.path} was changed by somebody else", changed=True)
            if content is None:
                self._files.remove(self.path)
            else:
                self._files.replace(self._part, self.path)  # TR-120
            self._files.sync_folder(self.path.parent)
        except OSError as error:  # TR-112
            return Outcome(False, f"{self.path}: {error.strerror or error}")
        except NoPointer as error:
            return Outcome(False, str(error), changed=True)
        return Outcome(True, f"{self.path} names {content.strip() or 'nobody'}" if content else f"{self.path} is gone")


def session_in(content: str | None) -> str:
    """The session id that a pointer's content names; empty where it names none."""
    return (content or "").strip()
