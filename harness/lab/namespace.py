"""A namespace for all that the lab runs: loopback is its only network, one folder its only place.

Where the machine gives none, nothing is run. What runs in it looks again for itself, before it starts anything.
"""

import fcntl
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""What holds the package `harness`."""
SET_FLAGS = 0x8914  # SIOCSIFFLAGS
IS_UP = 0x1  # IFF_UP
TRY_SECONDS = 20
SHARED_MEMORY = Path("/dev/shm")
KERNELS = ("/proc/", "/sys/", "/dev/")


class NoNamespace(RuntimeError):
    """This machine gives no namespace, or something runs outside of one, with the reason."""


class LabFault(RuntimeError):
    """What ran in the namespace failed or did not end, with the last of what it said."""


def missing() -> str | None:
    """Why there is no namespace on this machine; None where there is one."""
    if shutil.which("unshare") is None:
        return "unshare is not installed"
    try:
        done = subprocess.run([*_unshare(), "true"], capture_output=True, text=True, timeout=TRY_SECONDS)
    except subprocess.TimeoutExpired:
        return "unshare does not answer"
    return f"no namespace: {done.stderr.strip()}" if done.returncode else None


def run_inside(module: str, *words: str, seconds: float) -> str:
    """Run `python -m module words…` in a namespace, with nothing of this process's environment; its output.

    Raises `NoNamespace` where there is none and `LabFault` where it fails; at the end no process of it is left.
    """
    why = missing()
    if why is not None:
        raise NoNamespace(why)
    command = [*_unshare(), sys.executable, "-m", module, *words]
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "LANG": "C.UTF-8",
    }
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        said, complained = process.communicate(timeout=seconds)
    except BaseException as error:
        # The first process of the namespace goes with its parent, and every other one with it.
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if isinstance(error, subprocess.TimeoutExpired):
            raise LabFault(f"{module} {' '.join(words)}: not done within {seconds:g} s") from None
        raise
    if process.returncode:
        last = complained.decode(errors="backslashreplace").strip().splitlines()[-1:]
        raise LabFault(last[0] if last else f"{module}: exit code {process.returncode}")
    return said.decode()


def enter() -> None:
    """Inside: see that there is no interface but loopback, and bring that one up. Raises `NoNamespace`."""
    names = [name for _, name in socket.if_nameindex()]
    if names != ["lo"]:
        raise NoNamespace(f"interfaces {', '.join(names)}: this is no namespace of the lab's own")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sH14x", b"lo", IS_UP))


def confine(folder: Path) -> None:
    """Inside: from now on nothing outside of `folder` can be written. Raises `NoNamespace` where that fails.

    Only the namespace's own view changes. The kernel's own file systems stay as they are, since terminals are among
    them; but shared memory is the namespace's own, and ends with it.
    """
    _mount("--bind", str(folder), str(folder))
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
        words = line.split()
        target, options = re.sub(r"\\(\d{3})", lambda code: chr(int(code[1], 8)), words[4]), words[5].split(",")
        is_kernels = f"{target}/".startswith(KERNELS)
        if "rw" in options and Path(target) != folder and not is_kernels:
            _mount("-o", ",".join(["remount", "bind", "ro", *(each for each in options if each != "rw")]), target)
    if SHARED_MEMORY.is_dir():
        _mount("-t", "tmpfs", "tmpfs", str(SHARED_MEMORY))


def _mount(*words: str) -> None:
    done = subprocess.run(["mount", *words], capture_output=True, text=True, timeout=TRY_SECONDS)
    if done.returncode:
        raise NoNamespace(f"mount {' '.join(words)}: {done.stderr.strip()}")


def _unshare() -> list[str]:
    as_user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return ["unshare", *as_user, "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "--"]
