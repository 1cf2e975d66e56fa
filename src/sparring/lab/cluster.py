"""A Dask cluster as an executor, for work that outgrows one machine."""

import threading
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any

from sparring import checks, extras
from sparring.lab.provenance import installed

PATIENCE = 30  # seconds to wait for the scheduler, and for a first worker


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """An executor that uses the workers of a Dask scheduler.

    If a worker dies, another does its jobs. Pass it to `sparring.lab.run` or `sparring.simulate`.

    Parameters
    ----------
    address
        Address of the scheduler, as `dask scheduler` prints it, such as "tcp://10.0.0.1:8786".
    """
    if not isinstance(address, str) or not address:
        raise checks.refuse("address", "the text that `dask scheduler` prints", address)
    with connected(address) as client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            remedy = f"Start some with `dask worker {address}`"
            raise ConnectionError(f"the cluster at {address} has no workers. {remedy}") from None
        demand_equal(installed(), client.run(installed))
        yield client.get_executor(pure=False)


def connected(address: str) -> Any:
    """A client of the scheduler at an address; fails if connecting takes too long."""
    distributed = extras.demand("distributed", "a cluster", extra="cluster")
    found: Future[Any] = Future()

    class Client(distributed.Client):  # type: ignore[misc, name-defined]
        """One that is closed here, and does not wait a minute for what it never opened."""

        def __del__(self) -> None:
            pass

    def connect() -> None:
        try:
            found.set_result(Client(address, timeout=PATIENCE, set_as_default=False))
        except Exception as error:
            found.set_exception(error)

    # In a thread of its own: a client waits for ever for a peer that accepts and does not answer.
    threading.Thread(target=connect, daemon=True).start()
    try:
        return found.result(timeout=PATIENCE + 2)
    except Exception as error:
        reason = str(error) or f"no answer in {PATIENCE} seconds"
        remedy = "Is `dask scheduler` running there, and can this machine reach it?"
        raise ConnectionError(f"no cluster at {address}: {reason}. {remedy}") from None


def demand_equal(here: dict[str, str], workers: dict[str, dict[str, str]]) -> None:
    """Refuse workers that might compute other numbers than this process."""
    for worker, there in workers.items():
        for name, version in here.items():
            if there.get(name) != version:
                found = f"worker {worker} has {name} {there.get(name)}, this process {version}"
                raise RuntimeError(f"{found}. Install the same everywhere")
