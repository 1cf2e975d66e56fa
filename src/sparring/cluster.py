"""A Dask cluster as an executor, for those who outgrow one machine."""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from sparring import checks, extras
from sparring.provenance import sources, versions

PATIENCE = 30  # seconds to wait for the scheduler, and for a first worker


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """An executor whose work is done by the workers of a Dask scheduler.

    The jobs of a worker that dies are done by another. Give it to `sparring.experiments.run` or to
    `sparring.simulate`.

    Parameters
    ----------
    address
        Of the scheduler, as `dask scheduler` prints it, for instance "tcp://10.0.0.1:8786".
    """
    distributed = extras.demand("distributed", "a cluster", extra="cluster")
    if not isinstance(address, str) or not address:
        raise checks.refuse("address", "the text that `dask scheduler` prints", address)
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        remedy = "Is `dask scheduler` running there, and can this machine reach it?"
        raise ConnectionError(f"no cluster at {address}: {error}. {remedy}") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            remedy = f"Start some with `dask worker {address}`"
            raise ConnectionError(f"the cluster at {address} has no workers. {remedy}") from None
        demand_equal(installed(), client.run(installed))
        yield client.get_executor(pure=False)


def installed() -> dict[str, str]:
    """What the numbers of a process depend on."""
    found = versions()
    return {name: found[name] for name in ("sparring", "numpy", "numba")} | {"sources": sources()}


def demand_equal(here: dict[str, str], workers: dict[str, dict[str, str]]) -> None:
    """Refuse workers that might come to other numbers than this process."""
    for worker, there in workers.items():
        for name, version in here.items():
            if there.get(name) != version:
                found = f"worker {worker} has {name} {there.get(name)}, this process {version}"
                raise RuntimeError(f"{found}. Install the same everywhere")
