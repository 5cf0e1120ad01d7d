"""A disk that writes one byte of one file wrong, and says nothing."""

from pathlib import Path
from typing import BinaryIO

from threadrebuild.system import SystemFiles


class FlippingFiles(SystemFiles):
    """Changes the byte at `place` of the file that is written to become `final`, right before it is flushed."""

    def __init__(self, final: str, place: int) -> None:
        self._final = final
        self._place = place
        self._spoilt: BinaryIO | None = None

    def create(self, path: Path) -> BinaryIO:
        """Open a file, and remember the one that matters."""
        file = super().create(path)
        if self._final in path.name:
            self._spoilt = file
        return file

    def sync(self, file: BinaryIO) -> None:
        """Write out what is there, after the mishap; no power is lost here."""
        if file is self._spoilt:
            file.seek(self._place)
            byte = file.read(1)
            file.seek(self._place)
            file.write(bytes([byte[0] ^ 1]))
        file.flush()

    def sync_folder(self, path: Path) -> None:
        """Likewise."""
