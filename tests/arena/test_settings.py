"""What whoever runs an arena may change, and what becomes of answers then."""

from collections import Counter

import numpy as np
import pytest

import arena_log
from sparring.arena import (
    AnswerConflictError,
    Arena,
    ArenaClosedError,
    Call,
    UndoError,
    arenas,
    check,
    making,
    managing,
)
from sparring.arena.managing import judged, refolded
from sparring.arena.saving import fingerprint

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

LEARNERS = ["tracker", "steady"]


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is told to go on; no arena goes back before now."""
    now = [making.now()]
    monkeypatch.setattr(making, "now", lambda: now[0])

    def pass_by(seconds):
        now[0] += int(seconds * 1e6)

    return pass_by


@pytest.fixture(params=LEARNERS)
def arena(tmp_path, request):
    with Arena(tmp_path / "a.db", list("abcd"), learner=request.param, seed=1) as made:
        yield made
    opened, folded = arena_log.fold_again(tmp_path / "a.db")
    assert opened == folded
    assert check(tmp_path / "a.db").other == ()


def vote(arena, voter=None, answer=1.0):
    ticket = arena.ask(voter)
    return ticket, arena.tell(ticket, answer)


def test_settings_are_kept_and_checked(arena, tmp_path):
    arena.set(uniform=0.25, answers=["skip", "tie"], page={"title": "Tea?"})
    with Arena(tmp_path / "a.db") as again:
        assert again.settings == arena.settings
        assert again.settings.answers == ("tie", "skip")
    before = arena._look(lambda state: state.number)
    arena.set(uniform=0.25)  # nothing to change, nothing in the log
    assert arena._look(lambda state: state.number) == before
    for wrong in ({"mode": "loud"}, {"uniform": 2}, {"grace": -1}, {"cap": 0}, {"page": [1]},
                  {"answers": "tie"}, {"answers": ["maybe"]}, {"colour": "red"}):  # fmt: skip
        with pytest.raises(ValueError, match="must be"):
            arena.set(**wrong)
    assert arena._look(lambda state: state.number) == before


def test_words_for_answers(arena):
    good, bad, tie, skip = (vote(arena, answer=word)[1] for word in
                            ("both good", "both bad", "tie", "skip"))  # fmt: skip
    assert [one.learnt for one in (good, bad, tie, skip)] == [True, True, True, False]
    assert "skipped" in skip.why
    counted = arena.tallies()
    assert (counted.both_good, counted.both_bad, counted.ties) == (1, 1, 1)
    assert (counted.told, counted.learnt, counted.kept) == (4, 3, {"skip": 1})
    assert [one.answer for one in arena.records()] == ["both good", "both bad", "tie", "skip"]
    arena.set(answers=["tie"])
    ticket = arena.ask()
    with pytest.raises(ValueError, match="answer must be one of"):
        arena.tell(ticket, "both bad")
    assert arena.tell(ticket, "tie").learnt


def test_both_bad_is_another_answer_than_a_tie(arena):
    ticket, first = vote(arena, answer="both bad")
    assert arena.tell(ticket, "both bad") == first
    with pytest.raises(AnswerConflictError, match="both bad"):
        arena.tell(ticket, "tie")


def test_a_voter_may_have_several_open_pairs(arena):
    two = arena.ask_many("ann", 2)
    assert arena.ask_many("ann", 2) == two and arena.ask("ann") == two[0]
    arena.tell(two[0], 1.0)
    three = arena.ask_many("ann", 2)
    assert three[0] == two[1] and three[1] not in two
    assert len(arena.ask_many(None, 5)) == 5
    with pytest.raises(ValueError, match="n must be"):
        arena.ask_many("ann", 0)


def test_an_answer_can_be_taken_back_within_grace(arena, clock):
    arena.set(grace=10)
    ticket, answer = vote(arena, "ann", 1.0)
    assert answer.learnt and arena.votes == 0  # not yet: it may be taken back
    clock(9)
    again = arena.undo(ticket)
    assert (again.first, again.second) == (ticket.first, ticket.second)
    assert arena.undo(ticket) == again  # said twice, it happens once
    with pytest.raises(AnswerConflictError, match="taken back"):
        arena.tell(ticket, 1.0)
    arena.tell(again, 0.0)
    clock(11)
    arena.ask()
    assert arena.votes == 1
    assert arena.tallies().undone == 1
    assert [(one.outcome, one.counted) for one in arena.records()] == [(1.0, False), (0.0, True)]
    assert len(arena.history()) == 1
    with pytest.raises(UndoError, match="could still be taken back"):
        arena.undo(again)


def test_only_the_latest_answer_of_a_voter_can_be_taken_back(arena, clock):
    arena.set(grace=10)
    first, _ = vote(arena, "ann")
    second, _ = vote(arena, "ann")
    vote(arena, "bob")
    assert arena.votes == 1
    with pytest.raises(UndoError):
        arena.undo(first)
    arena.undo(second)


def test_without_grace_nothing_waits_and_nothing_can_be_taken_back(arena):
    ticket, _ = vote(arena, "ann")
    assert arena.votes == 1
    with pytest.raises(UndoError):
        arena.undo(ticket)


def test_an_arm_withdrawn_while_an_answer_can_be_taken_back(arena, clock):
    arena.set(grace=10)
    ticket, _ = vote(arena, "ann")
    arena.withdraw(ticket.first)
    assert arena.votes == 1  # it was given while the arm was there


def test_shadow_draws_all_pairs_alike_and_the_learner_learns(tmp_path):
    with Arena(tmp_path / "a.db", list("abcd"), learner="steady", seed=3) as arena:
        arena.set(mode="shadow")
        seen = Counter()
        for _ in range(1200):
            ticket = arena.ask()
            seen[frozenset((ticket.first, ticket.second))] += 1
            arena.tell(ticket, "a" if "a" in (ticket.first, ticket.second) else "tie")
        # Chi-square with 5 degrees of freedom: beyond 25.7 once in 10,000 seeds; this one is fixed.
        expected = 1200 / 6
        assert sum((count - expected) ** 2 / expected for count in seen.values()) < 25.7
        assert arena.favourite == "a"
        assert arena.tallies().uniform == 1200
        assert {one.chance for one in arena.records()} == {1 / 6}


def test_a_uniform_slice_is_marked_and_of_the_right_size(tmp_path):
    with Arena(tmp_path / "a.db", list("abcd"), learner="steady", seed=5) as arena:
        arena.set(uniform=0.25)
        for _ in range(800):
            arena.tell(arena.ask(), 0.5)
        marked = sum(one.uniform for one in arena.records())
        assert marked == arena.tallies().uniform
        assert abs(marked - 200) < 4.5 * np.sqrt(800 * 0.25 * 0.75)


def test_the_chance_of_a_pair_is_what_the_learner_drew_it_with(tmp_path):
    """Drawn from the learner's own p at each moment: i and j with p(i) p(j) + p(j) p(i) over D."""
    with Arena(tmp_path / "a.db", list("abc"), learner="steady", seed=5) as arena:
        wanted = []
        for _ in range(40):
            ticket = arena.ask()
            state = arena._look(lambda state: state)
            (pair,) = state.open.values()
            p = state.learner.open[pair.t].p[0]
            D = 1 - sum(p**2)
            wanted.append(2 * p[pair.row] * p[pair.col] / D)
            arena.tell(ticket, "a" if "a" in (ticket.first, ticket.second) else 0.5)
        assert [one.chance for one in arena.records()] == pytest.approx(wanted)
    assert wanted[0] == pytest.approx(1 / 3) and np.std(wanted) > 0.01


def test_a_frozen_arena_learns_nothing(arena):
    for _ in range(5):
        vote(arena, answer=1.0)
    arena.set(mode="frozen")
    ticket, answer = vote(arena)
    assert not answer.learnt and "frozen" in answer.why
    assert arena.tell(ticket, 1.0) == answer
    assert arena.votes == 5 and arena.tallies().kept == {"frozen": 1}


@pytest.mark.parametrize("learner", LEARNERS)
def test_answers_to_a_frozen_arena_change_nothing(tmp_path, learner):
    found = []
    for answer in (0.0, 1.0):
        path = tmp_path / f"{answer}.db"
        with Arena(path, list("abcd"), learner=learner, seed=1) as arena:
            arena.set(mode="frozen")
            for _ in range(50):
                vote(arena, answer=answer)
            found.append(arena._look(lambda state: state.learner.snapshot()))
    for mark in ("id", "digest"):
        assert found[0].pop(mark) != found[1].pop(mark)
    assert found[0] == found[1]


def test_a_paused_arena_asks_nobody_and_a_closed_one_learns_nothing(arena):
    ticket, other = arena.ask("ann"), arena.ask("bob")
    arena.set(status="paused")
    with pytest.raises(ArenaClosedError, match="paused"):
        arena.ask()
    assert arena.tell(ticket, 1.0).learnt
    arena.set(status="closed")
    assert arena.tell(other, 1.0).why == "the arena is closed"
    arena.set(status="open")
    assert arena.ask("ann").first


def test_answers_that_come_too_fast_are_kept(arena, clock):
    arena.set(dwell=2)
    one, other = arena.ask_many("ann", 2)
    clock(1.9)
    assert "too fast" in arena.tell(one, 1.0).why
    clock(1.9)  # after the last answer, though long after it was asked ahead
    assert "too fast" in arena.tell(other, 1.0).why
    third = arena.ask("ann")
    clock(5)
    arena.seen(third)
    clock(1)
    arena.seen(third)  # the first time counts
    clock(1)
    assert arena.tell(third, 1.0).learnt


def test_no_more_than_so_many_answers_of_a_voter_are_learnt_in_a_day(arena, clock):
    arena.set(cap=3)
    got = [vote(arena, "ann")[1].learnt for _ in range(5)]
    assert got == [True, True, True, False, False]
    assert vote(arena, "bob")[1].learnt and vote(arena)[1].learnt
    clock(86_400)
    assert vote(arena, "ann")[1].learnt


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_banned_voter_never_was(tmp_path, learner):
    """The learner ends up as if it had watched the same pairs and never heard that voter."""
    path = tmp_path / "a.db"
    with Arena(path, list("abcd"), learner=learner, seed=1) as arena, Arena(path) as elsewhere:
        for k in range(60):
            ticket = arena.ask("eve" if k % 3 == 0 else f"voter {k}")
            liked = "d" if k % 3 == 0 else "a"
            arena.tell(ticket, liked if liked in (ticket.first, ticket.second) else 0.5)
        assert elsewhere.votes == 60
        arena.judge(arena.pseudonym("eve"), "banned")
        assert (arena.votes, elsewhere.votes) == (40, 40)
        assert arena._look(fingerprint) == elsewhere._look(fingerprint)
        assert arena.tallies().kept == {"banned": 20}
        assert len(arena.history()) == 40
        assert not vote(arena, "eve")[1].learnt  # nor later
        assert vote(elsewhere, "bob")[1].learnt
        arena.judge(arena.pseudonym("eve"), "free")
        assert (arena.votes, arena.verdicts()) == (62, {})
        arena.judge(arena.pseudonym("eve"), "free")  # said again: nothing happens
    opened, folded = arena_log.fold_again(path)
    assert opened == folded


def test_held_answers_wait_and_count_when_their_voter_is_free(arena):
    vote(arena, "ann")
    arena.judge(arena.pseudonym("ann"), "held")
    ticket, answer = vote(arena, "ann")
    assert not answer.learnt and "aside" in answer.why
    assert arena.tell(ticket, 1.0) == answer
    assert arena.votes == 1 and arena.tallies().kept == {"held": 1}
    assert arena.verdicts() == {arena.pseudonym("ann"): "held"}
    arena.judge(arena.pseudonym("ann"), "free")
    assert arena.votes == 2 and arena.tallies().kept == {}
    arena.judge(arena.pseudonym("ann"), "banned")
    with pytest.raises(ValueError, match="free, before"):
        arena.judge(arena.pseudonym("ann"), "held")
    with pytest.raises(ValueError, match="verdict must be"):
        arena.judge(arena.pseudonym("ann"), "hanged")
    for name in ("ann", "", arena.pseudonym("ann").upper(), arena.pseudonym("ann") + "\n", 3):
        with pytest.raises(ValueError, match="voter must be a pseudonym, 24 letters"):
            arena.judge(name, "free")


def test_items_have_contents_and_versions(tmp_path):
    path = tmp_path / "a.db"
    tea = {"kind": "text", "text": "Tea."}
    with Arena(path, {"tea": tea, "coffee": {"kind": "text", "text": "Coffee."}}) as arena:
        ticket = arena.ask()
        assert tea in ticket.contents
        arena.edit("tea", {**tea, "text": "Green tea."})
        arena.edit("tea", {**tea, "text": "Green tea."})  # the same again: nothing happens
        arena.add("milk", content={"kind": "text", "text": "Milk."})
        vote(arena)
        arena.tell(ticket, "tea")
        found = {item.name: item for item in arena.items()}
        assert found["tea"].version == 1 and found["tea"].content["text"] == "Green tea."
        assert found["milk"].content["text"] == "Milk." and found["coffee"].version == 0
        (old,) = [one for one in arena.records() if one.answer in ("first", "second")][-1:]
        assert old.versions == (0, 0)  # as it was asked
        arena.withdraw("coffee")
        assert {item.name for item in arena.items() if item.withdrawn} == {"coffee"}
        for wrong in ("text", {"a": {1, 2}}, {"a": float("nan")}, {"a": "x" * 2_000_000}):
            with pytest.raises(ValueError, match="content must be"):
                arena.edit("tea", wrong)
        with pytest.raises(ValueError, match="name must be"):
            arena.edit("beer", tea)


def test_comparisons_from_outside_are_marked(arena):
    rows = [("a", "b", 1.0), ("a", "c", 0.5, 1_700_000_000)]
    assert arena.import_votes(rows, source="old survey") == 2
    found = list(arena.records())
    assert [one.source for one in found] == ["old survey"] * 2 and found[1].at == 1_700_000_000
    assert arena.votes == 0 and arena.tallies().imported == 2 and len(arena.history()) == 2
    before = arena._look(lambda state: state.number)
    for wrong in ([("a", "z", 1.0)], [("a", "a", 1.0)], [("a", "b", 2.0)], [("a",)],
                  [("a", "b", 1.0), ("a", "b", None)]):  # fmt: skip
        with pytest.raises(ValueError, match=r"must be|comparison"):
            arena.import_votes(wrong, source="slip")
    assert arena._look(lambda state: state.number) == before


def test_a_tracker_learns_comparisons_from_outside(tmp_path):
    with Arena(tmp_path / "a.db", list("abc"), seed=1) as arena:
        rows = [("a", other, 0.0 if other == "c" else 1.0) for other in "bc" * 40]
        arena.import_votes(rows, source="last year")
        arena.import_votes([("c", "b", 1.0)] * 40, source="last year")
        assert (
            arena._look(lambda state: state.arms[state.present[state.learner.favourite]].name)
            == "c"
        )


def test_arenas_of_a_database(tmp_path):
    path = tmp_path / "a.db"
    Arena(path, ["a", "b"], name="one").close()
    Arena(path, ["a", "b"], name="two").close()
    assert arenas(path) == ["one", "two"]


def test_what_was_taken_back_is_no_answer(arena, clock):
    arena.set(grace=10, cap=1)
    ticket, _ = vote(arena, "ann", 1.0)
    again = arena.undo(ticket)
    counted = arena.tallies()
    assert (counted.told, counted.first_won, counted.undone) == (0, 0, 1)
    assert arena.tell(again, 0.0).learnt  # the first of today
    assert not vote(arena, "ann")[1].learnt
    assert arena.tallies().told == 2


def test_an_answer_taken_back_while_the_log_is_read(arena, clock, monkeypatch):
    monkeypatch.setattr("sparring.arena.events.EVENTS_A_READ", 1)
    arena.set(grace=100)
    tickets = [vote(arena, f"voter {n}")[0] for n in range(3)]
    reading = arena.records()
    next(reading)
    arena.undo(tickets[0])
    arena.undo(tickets[2])
    assert len(list(reading)) == 2


def test_a_verdict_tried_again_after_another_call_failed_leaves_no_hole(arena, tmp_path):
    """What was folded for it had gone further in a transaction that was rolled back."""
    ann = arena.pseudonym("ann")
    for who in ("ann", "bob", "ann", "bob"):
        vote(arena, who)
    arena.judge(ann, "banned")
    before = dict(arena._look(lambda state: state.voters.verdicts))
    prepared = refolded(tmp_path / "a.db", "arena", judged(before, ann, "free"))

    def spoil():
        arena._or_spoil(lambda: 1 / 0)

    calls = [arena.asking(), Call(lambda: arena._judge(ann, "free", prepared)), Call(spoil)]
    arena.perform(calls)
    with pytest.raises(ZeroDivisionError):
        calls[2].outcome()
    vote(arena, "bob")
    assert (arena.votes, arena.verdicts()) == (5, {})


def test_a_verdict_after_others_came_and_went_counts(arena, tmp_path):
    """What was folded before them ends where they begin."""
    for who in ("ann", "bob", "ann", "bob", "ann"):
        vote(arena, who)
    ann, bob = arena.pseudonym("ann"), arena.pseudonym("bob")
    prepared = refolded(tmp_path / "a.db", "arena", judged({}, ann, "banned"))
    arena.judge(bob, "banned")
    arena.judge(bob, "free")
    arena._group.do(lambda: arena._judge(ann, "banned", prepared))
    assert (arena.votes, arena.verdicts()) == (2, {ann: "banned"})


def test_a_ban_is_folded_beside_whoever_votes_though_other_verdicts_come(arena, monkeypatch):
    for who in ("ann", "bob", "cat", "ann", "bob", "cat", "dan"):
        vote(arena, who)
    names = ("ann", "bob", "cat")
    ann, bob, cat = (arena.pseudonym(who) for who in names)
    others = [bob, cat]

    def meanwhile(*arguments):
        found = refolded(*arguments)
        if others:
            arena.judge(others.pop(), "banned")
        return found

    def never(*_):
        raise AssertionError("folded while all wait")

    monkeypatch.setattr("sparring.arena.managing.refolded", meanwhile)
    monkeypatch.setattr(Arena, "_refolded", never)
    arena.judge(ann, "banned")
    assert (arena.votes, arena.verdicts()) == (1, dict.fromkeys((ann, bob, cat), "banned"))


def test_a_ban_comes_to_an_end_though_other_verdicts_keep_coming(arena, monkeypatch):
    for who in ("ann", "bob", "ann"):
        vote(arena, who)
    ann, bob = arena.pseudonym("ann"), arena.pseudonym("bob")
    depth = []

    def meanwhile(*arguments):
        found = refolded(*arguments)
        if not depth:
            depth.append(1)
            arena.judge(bob, "free" if bob in arena.verdicts() else "banned")
            depth.clear()
        return found

    monkeypatch.setattr("sparring.arena.managing.refolded", meanwhile)
    arena.judge(ann, "banned")
    assert arena.verdicts()[ann] == "banned"
    assert arena.votes == (0 if bob in arena.verdicts() else 1)


def test_an_arm_is_not_called_like_an_answer(arena, tmp_path):
    for word in ("skip", "both good", "both bad", "tie"):
        with pytest.raises(ValueError, match="names other than"):
            arena.add(word)
        with pytest.raises(ValueError, match="names other than"):
            Arena(tmp_path / "b.db", ["a", word])


def test_what_no_page_could_show_is_refused(arena):
    deep = {}
    for _ in range(5000):
        deep = {"a": deep}
    for wrong, rule in (({"text": "half \ud800 a letter"}, "JSON can hold"), (deep, "16 levels")):
        with pytest.raises(ValueError, match=f"content must be .*{rule}"):
            arena.add("e", content=wrong)
        with pytest.raises(ValueError, match=f"page must be .*{rule}"):
            arena.set(page=wrong)
    with pytest.raises(ValueError, match="in the past"):
        arena.import_votes([("a", "b", 1.0, 1e11)], source="the future")


def levels_of(value):
    inner = value.values() if isinstance(value, dict) else value
    below = [levels_of(one) for one in inner if isinstance(one, dict | list)]
    return 1 + max(below, default=0)


def test_nobody_nests_deeper_than_sixteen_levels(arena):
    deep = {"a": 1}
    for _ in range(15):
        deep = {"a": deep}
    assert levels_of(deep) == 16
    assert arena.set(page=deep).page == deep
    arena.edit("a", deep)
    for wrap in (lambda it: {"a": it}, lambda it: {"a": [it]}):
        for bad in (wrap(deep), nested_more(deep, 480), nested_more(deep, 100_000)):
            with pytest.raises(ValueError, match="at most 16 levels"):
                arena.set(page=bad)
            with pytest.raises(ValueError, match="at most 16 levels"):
                arena.edit("a", bad)
            with pytest.raises(ValueError, match="at most 16 levels"):
                arena.add("e", content=bad)


def nested_more(value, times):
    for _ in range(times):
        value = {"a": value}
    return value


def test_what_was_nested_deeper_before_there_was_a_limit_is_still_read(arena, monkeypatch):
    deep = nested_more({}, 40)
    with monkeypatch.context() as patched:
        patched.setattr(managing, "demand_shallow", lambda *_: None)
        arena.set(page=deep)
    arena._state = None
    assert arena.settings.page == deep


@pytest.mark.parametrize("name", [".", ".."])
def test_an_arm_is_not_called_like_a_folder(arena, tmp_path, name):
    with pytest.raises(ValueError, match=r"other than '\.' and '\.\.'"):
        arena.add(name)
    with pytest.raises(ValueError, match=r"other than '\.' and '\.\.'"):
        Arena(tmp_path / "other.db", [name, "a"])
    arena.add("...")
    arena.add("./a")
