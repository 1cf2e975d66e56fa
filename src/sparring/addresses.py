"""Addresses of databases: which there are, how SQLite reads them, and how they may be shown."""

import os
import re
from pathlib import PurePath
from urllib.parse import quote

from sparring import checks

SERVERS = ("postgresql://", "postgres://")
FOREIGN = r"[a-z][a-z0-9+.-]+://|postgres(ql)?:"  # also what was meant to be a server
PASSWORD = r"://([^:/@]*):(.*)@"


def checked(address: str | os.PathLike[str]) -> str:
    """The text of an address, if it is a path or that of a server."""
    rule = "a path or postgresql://..."
    try:
        text = os.fspath(address)
    except TypeError:
        text = ""
    if not isinstance(text, str) or text in ("", ":memory:") or text.startswith("file:"):
        raise checks.refuse("address", rule, address, "It has to last")
    if not text.startswith(SERVERS) and re.match(FOREIGN, text, re.IGNORECASE):
        remedy = "For a file, give its path alone; for an arena over HTTP, use sparring.Client"
        raise checks.refuse("address", rule, without_password(text), remedy)
    return text


def without_password(address: str) -> str:
    """An address as it may be shown.

    Examples
    --------
    >>> without_password("postgresql://ann:s3cr:e@t@db/votes?password=x&sslmode=require")
    'postgresql://ann:***@db/votes?password=***&sslmode=require'
    """
    shown = re.sub(PASSWORD, r"://\1:***@", address)
    return re.sub(r"(password=)[^&]*", r"\1***", shown)


def without_secrets(message: str, address: str) -> str:
    """A message about an address without what it quotes of the password, as of one badly written.

    Examples
    --------
    >>> without_secrets('invalid token: "s3%cret"', "postgresql://ann:s3%cret@db/votes")
    'invalid token: "***"'
    """
    found = re.search(PASSWORD, address)
    user, *secrets = found.groups() if found else ("",)
    secrets += re.findall("password=([^&]*)", address)

    def hidden(quoted: re.Match[str]) -> str:
        is_secret = quoted[1] != user and any(quoted[1] in secret for secret in secrets)
        return '"***"' if is_secret else quoted[0]

    message = message.replace(address, without_password(address))
    return re.sub('"([^"]+)"', hidden, message)


def file_address(path: PurePath) -> str:
    r"""The address of a file as SQLite reads it.

    Not `as_uri`: it makes a host of the first part of a Windows share, which SQLite refuses.

    Examples
    --------
    >>> from pathlib import PurePosixPath, PureWindowsPath
    >>> file_address(PurePosixPath("/srv/my votes.db"))
    'file:///srv/my%20votes.db'
    >>> file_address(PureWindowsPath(r"C:\my votes.db"))
    'file:///C:/my%20votes.db'
    >>> file_address(PureWindowsPath(r"\\server\disk\votes.db"))
    'file:////server/disk/votes.db'
    """
    text = path.as_posix()
    text = text if text.startswith("/") else f"/{text}"
    return "file://" + quote(os.fsencode(text), safe="/:")
