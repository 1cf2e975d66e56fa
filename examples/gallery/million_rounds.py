"""A million rounds.

Ten arms, a new winner after each 200,000 duels, and four learners that meet the same luck.
`simulate` plays whole blocks of rounds in machine code, and gives a table.
The regret is what each learner lost to the best arm of its time, and `curves` draws it.
"""

import sparring
from sparring.lab.draw import curves

world = sparring.FreshWinner(K=10, T=1_000_000, S=5)
learners = {
    "RAND": "rand",
    "DEX3.S corrected": sparring.Entrant("dex3s", corrected=True),
    "SYM-EXP3.S": "sym_exp3s",
    "tracker": "tracker",
}
table = sparring.simulate(world, learners, "dynamic", runs=1, checkpoints=100)
for learner in learners:
    last = table.filter(entrant=learner, t=world.T)
    print(f"{learner:17} lost {last['value'][0]:9,.0f}")

figure = curves(table)
figure.savefig("million_rounds.svg")
