"""Watcher: looks at the arenas now and then, and tells webhooks what happened."""

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sparring.web.service import Service


class Watcher:
    def __init__(self, service: "Service") -> None:
        pass

    def open(self) -> None:
        pass

    async def close(self) -> None:
        pass
