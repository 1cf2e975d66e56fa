"""A process that votes in an arena until it is killed; it prints what was acknowledged to it.

Of each pair the better arm wins, by the order of the names. One ticket in four is kept and
answered later, or by a later process: `late` is a file of such tickets.
"""

import sys
import threading

from sparring.arena import Arena

ARMS = ["ash", "birch", "cedar", "elm", "fir"]


def main(address, late, threads, votes):
    arena = Arena(address, ARMS)
    out = threading.Lock()
    with open(late) as file:
        kept = [line.split() for line in file]

    def say(*words):
        with out:
            print(*words, flush=True)

    def vote(number):
        mine = kept[number :: int(threads)]
        for turn in range(int(votes)):
            if mine and turn % 3 == 0:
                text, first, second = mine.pop()
            else:
                ticket = arena.ask()
                text, first, second = ticket.text, ticket.first, ticket.second
                say("asked", text, first, second)
                if turn % 4 == 3:
                    continue
            answer = arena.tell(text, min(first, second))
            say("told", text, min(first, second), answer.number, answer.learnt)

    workers = [threading.Thread(target=vote, args=(n,)) for n in range(int(threads))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    arena.close()
    say("done")


if __name__ == "__main__":
    main(*sys.argv[1:])
