"""A figure of the paper.

Figure 3 (a) of Saha and Gupta (ICML 2022), smaller: preferences that switch, regret against T.
A panel is an experiment as a value: worlds, learners and a regret, each of which can be replaced.
`run` keeps every job as a file and goes on where it was stopped; `panel_figure` draws as they do.
"""

import tempfile
from dataclasses import replace

import sparring
from sparring import lab
from sparring.lab.draw import panel_figure
from sparring.lab.summaries import read

panel = lab.panels.panels("full")["switching-vs-T"]
worlds = [sparring.SwitchingWalk(K=10, T=T, S=10) for T in (10_000, 20_000, 50_000, 100_000)]
small = replace(panel, worlds=worlds, title="Switching preferences, smaller than printed")

with tempfile.TemporaryDirectory() as folder:
    lab.run(small, folder, runs=5)
    (summary,) = read(folder)

figure = panel_figure(summary)
figure.savefig("paper_figure.svg")
