"""What tests let run in the lab's namespace: `reach`, `write` and `hang`, which never ends."""

import errno
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

from harness.lab.namespace import confine, enter

SHARED = Path("/dev/shm/new-in-the-lab")
OUTSIDE = ("192.0.2.1", 80)
"""An address that RFC 5737 keeps for examples."""


def reach() -> dict[str, object]:
    """What came of going to an address outside, of asking for a name, and of talking to itself."""
    enter()
    with socket.socket() as outward:
        outward.settimeout(5)
        outside = errno.errorcode.get(outward.connect_ex(OUTSIDE), "connected")
    try:
        socket.getaddrinfo("example.org", 80)
        name = "resolved"
    except OSError:
        name = "unknown"
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as inward:
        loopback = inward.connect_ex(server.getsockname())
    return {"outside": outside, "name": name, "loopback": loopback, "environment": sorted(os.environ)}


def write(folder: Path) -> dict[str, str]:
    """What came of writing a file in the folder, beside it, and where temporary files are."""
    confine(folder)
    outcomes = {}
    places = {"in": folder / "new", "beside": folder.with_name("new"), "tmp": Path("/tmp/new"), "shared": SHARED}
    for name, path in places.items():
        try:
            path.write_text("new")
            outcomes[name] = "written"
        except OSError as error:
            outcomes[name] = errno.errorcode[error.errno or 0]
    return outcomes


if __name__ == "__main__":
    if sys.argv[1] == "reach":
        print(json.dumps(reach()))
    elif sys.argv[1] == "write":
        print(json.dumps(write(Path(sys.argv[2]))))
    else:
        subprocess.Popen(["sleep", sys.argv[2]], start_new_session=True)
        time.sleep(float(sys.argv[2]))
