"""A Dask cluster as an executor, for those who outgrow one machine."""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from sparring import checks, extras
from sparring.version import __version__

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
        for worker, version in client.run(installed).items():
            if version != __version__:
                found = f"worker {worker} has sparring {version}, this is {__version__}"
                raise RuntimeError(f"{found}. Install the same version everywhere")
        yield client.get_executor(pure=False)


def installed() -> str:
    """Which version of sparring a worker has."""
    return __version__
