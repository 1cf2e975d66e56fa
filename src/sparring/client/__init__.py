"""An arena over HTTP, with the methods of `sparring.Arena`. Needs the extra `client`."""

from sparring.client.asynchronous import AsyncClient
from sparring.client.client import Client

__all__ = ["AsyncClient", "Client"]
