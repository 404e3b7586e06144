"""Files that are replaced as a whole."""

from __future__ import annotations

import os
import tempfile


def replace(path: str | os.PathLike[str], content: bytes) -> None:
    """Writes a file under another name, and puts it in the place of the last: whoever reads it sees one or the other."""
    target = os.path.realpath(os.fspath(path))
    folder = os.path.dirname(target) or "."
    descriptor, name = tempfile.mkstemp(dir=folder, prefix=".oled-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise
