"""A sweep on Dask.

How long should a learner remember, if tastes change once, four or sixteen times?
A sweep plays every memory in every world on a Dask cluster: here two workers on this machine.
No number depends on where a job ran, and what is in the folder already is not played again.
"""

import tempfile

import matplotlib.pyplot as plt
from distributed import LocalCluster

import sparring
from sparring import lab
from sparring.lab.cluster import cluster

MEMORIES, SEGMENTS = [100, 300, 1_000, 3_000], [1, 4, 16]

with (
    LocalCluster(n_workers=2, processes=False, dashboard_address=None) as local,
    cluster(local.scheduler_address) as executor,
    tempfile.TemporaryDirectory() as folder,
):
    table = lab.sweep(
        worlds=[sparring.FreshWinner(K=5, T=8_000, S=S) for S in SEGMENTS],
        entrants=[lab.entrant("steady", memory=memory) for memory in MEMORIES],
        regrets="dynamic",
        runs=6,
        folder=folder,
        executor=executor,
    )

figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
for S, marker in zip(SEGMENTS, "os^", strict=True):
    means = [
        table.filter(table["world.S"] == S, table["entrant.memory"] == memory)["value"].mean()
        for memory in MEMORIES
    ]
    axes.plot(MEMORIES, means, marker=marker, label=f"{S} segment{'s' * (S > 1)}")
axes.set(xlabel="memory, in duels", ylabel="regret after 8,000 duels", xscale="log")
axes.set_xticks(MEMORIES, [f"{memory:,}" for memory in MEMORIES], minor=False)
axes.legend()
figure.savefig("dask_sweep.svg")
