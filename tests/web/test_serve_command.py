"""`sparring serve`: what it prints, what it refuses, and how it ends."""

import os
import re
import signal
import socket
import subprocess
import sys

import httpx
import pytest

from places import TESTS
from sparring.arena import Arena, arenas
from sparring_cli import main, serving
from web_process import free_port, wait_until_ready
from web_service import API, ARMS, made_keys

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

ITEMS = "name,kind,text\nterse,text,Be brief.\npolite,markdown,Be *polite*.\nplain,,\n"


def test_the_first_minute(tmp_path):
    (tmp_path / "items.csv").write_text(ITEMS)
    port, log = free_port(), tmp_path / "log"
    command = [sys.executable, "-m", "sparring_cli", "serve", "prompts.db", "--items", "items.csv"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1"}
    for start in ("first", "second"):
        with log.open("w") as out:
            process = subprocess.Popen(
                [*command, "--port", str(port)],
                cwd=tmp_path,
                env=environment,
                stdout=out,
                stderr=out,
            )
            try:
                wait_until_ready(process, port)
                base = f"http://127.0.0.1:{port}"
                said = log.read_text()
                assert f"Vote:   {base}/a/arena" in said
                if start == "first":
                    (key,) = re.findall(r"/admin#key=(spk_[\w-]{43})\n", said)
                    assert "shown only now" in said
                    assert "send people the first link, and open the third" in said
                else:
                    assert "key=" not in said
                headers = {"Authorization": f"Bearer {key}"}
                items = httpx.get(base + API + "/items", headers=headers).json()["items"]
                assert [item["content"] for item in items] == [
                    {"kind": "text", "text": "Be brief."},
                    {"kind": "markdown", "text": "Be *polite*."},
                    None,
                ]
                assert httpx.get(f"{base}/a/arena").status_code == 200
            finally:
                process.send_signal(signal.SIGINT)
                code = process.wait(300)
        assert code == 0
        assert "Traceback" not in log.read_text()


def test_it_ends_at_once_while_somebody_looks_at_a_board(tmp_path, monkeypatch):
    """A server gives open streams some seconds to end; it must not need them."""
    path, port = tmp_path / "arena.db", free_port()
    with Arena(path, ARMS) as arena:
        arena.set(page={"board": "public"})
    made_keys(path)
    # So long that the test would fail if the server waited for its streams.
    code = (
        "import sparring_cli.serving as serving, sparring_cli, sys; serving.STOP = 600; "
        "sys.exit(sparring_cli.main(sys.argv[1:]))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code, "serve", str(path), "--port", str(port)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    try:
        wait_until_ready(process, port)
        stream = f"http://127.0.0.1:{port}{API}/board/events"
        with httpx.stream("GET", stream, timeout=120) as reply:
            lines = reply.iter_lines()
            assert next(lines) == "event: board"
            process.send_signal(signal.SIGTERM)
            assert list(lines)[-1] == ""  # the stream comes to its end
        assert process.wait(120) in (0, -signal.SIGTERM)
    finally:
        process.kill()
        process.wait()


def test_another_learner_than_that_of_the_arena_is_refused(tmp_path, capsys):
    path = tmp_path / "arena.db"
    Arena(path, ARMS, learner="steady").close()
    said = refused(capsys, path, "--learner", "tracker")
    assert "--learner must be steady, which the arena 'arena' was made with; got tracker" in said
    assert main(["serve", str(path), "--learner", "steady", "--prepare"]) == 0
    said = refused(capsys, path, "--name", "other", "--learner", "steady")
    assert "--learner must come with --items, of which a new arena is made; got steady" in said
    assert arenas(path) == ["arena"]


def test_a_start_does_not_wait_for_what_only_boards_need(tmp_path):
    path = tmp_path / "arena.db"
    Arena(path, ARMS).close()
    code = (
        "import sys, sparring_cli, sparring.web.app as app; "
        "assert sparring_cli.main(['serve', sys.argv[1], '--prepare', '--quiet']) == 0; "
        "app.create_app(app.ServiceConfig(address=sys.argv[1])); print(*sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code, str(path)]
    loaded = set(subprocess.check_output(command, env=environment, text=True).split())
    assert "sparring.web.app" in loaded
    drawing = {"matplotlib", "polars", "scipy.special", "sparring.lab", "sparring.votes"}
    assert not loaded & drawing


def test_items_are_filled_in_where_an_arena_is_there(tmp_path, capsys):
    """What somebody has edited or withdrawn stays so, and all of it is said."""
    path, items = tmp_path / "arena.db", tmp_path / "items.csv"
    with Arena(path, {"terse": None, "polite": {"kind": "text", "text": "Kindly."}, "old": None}):
        pass
    with Arena(path) as arena:
        arena.add("gone")
        arena.withdraw("gone")
    items.write_text("name,text\nterse,Be brief.\npolite,Be polite.\ngone,Go.\nnew,Be new.\nold,\n")
    command = ["serve", str(path), "--items", str(items), "--prepare"]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "Items:  added: new\n" in said
    assert "shown now as the file says: terse\n" in said
    assert "left as the arena shows them; the admin page changes that: polite\n" in said
    assert "left withdrawn: gone\n" in said
    with Arena(path) as arena:
        found = {item.name: item for item in arena.items()}
    texts = {name: item.content and item.content["text"] for name, item in found.items()}
    expected = {"terse": "Be brief.", "polite": "Kindly.", "old": None, "gone": None}
    assert texts == {**expected, "new": "Be new."}
    assert found["gone"].withdrawn is not None
    items.write_text("name,text\nterse,Be brief.\nnew,Be new.\n")
    assert main(command) == 0
    assert f"Items:  all are as {items} says\n" in capsys.readouterr().out


def test_pictures_from_elsewhere_start_from_the_command_line(tmp_path, capsys):
    items, address = tmp_path / "items.csv", str(tmp_path / "arena.db")
    url = "https://cdn.example.org/{}.png"
    items.write_text(f"name,kind,url\none,image,{url.format(1)}\ntwo,image,{url.format(2)}\n")
    serve = ["serve", address, "--items", str(items), "--prepare"]
    refused_words = refused(capsys, *serve[1:])
    assert "https://cdn.example.org" in refused_words and "--media-origin" in refused_words
    assert main([*serve, "--media-origin", "https://CDN.example.org/"]) == 0
    with Arena(address) as arena:
        assert arena.settings.page == {"blind": True, "origins": ["https://cdn.example.org"]}
        assert [item.content["url"] for item in arena.items()] == [url.format(1), url.format(2)]
    assert main([*serve]) == 0  # it is kept
    more = ["--media-origin", "https://films.example.org:8443"]
    assert main(["serve", address, "--prepare", *more, *more]) == 0
    with Arena(address) as arena:
        found = ["https://cdn.example.org", "https://films.example.org:8443"]
        assert arena.settings.page["origins"] == found and arena.settings.page["blind"] is True
    for bad in ("cdn.example.org", "https://cdn.example.org/path", "ftp://cdn.example.org"):
        assert bad in refused(capsys, *serve[1:], "--media-origin", bad)
    assert "'no'" in refused(capsys, address, "--name", "no", "--prepare", *more)


def test_it_says_who_may_look_at_the_board(tmp_path, capsys):
    path = str(tmp_path / "arena.db")
    Arena(path, ARMS).close()
    assert main(["serve", path, "--prepare"]) == 0
    assert "Only with a key: open it from the third link" in capsys.readouterr().out
    assert main(["serve", path, "--prepare", "--open-board"]) == 0
    assert "Only with a key" not in capsys.readouterr().out
    with Arena(path) as arena:
        arena.set(page={"board": "public"})
    assert main(["serve", path, "--prepare"]) == 0
    assert "Only with a key" not in capsys.readouterr().out


def test_a_demo_says_whether_it_is_kept(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(serving, "run", lambda *_: None)
    assert main(["serve", "--demo"]) == 0
    said = capsys.readouterr().out
    assert "Stop with Ctrl-C; the demo is then gone." in said
    assert "/admin#key=" in said and "Keep it" not in said and "nothing is lost" not in said
    assert main(["serve", str(tmp_path / "demo.db"), "--demo"]) == 0
    said = capsys.readouterr().out
    assert "nothing is lost" in said and "Keep it" in said and "gone" not in said


def refused(capsys, *arguments):
    assert main(["serve", *map(str, arguments)]) == 1
    return capsys.readouterr().err


def test_refusals(tmp_path, capsys):
    path = tmp_path / "arena.db"
    assert f"there is no arena in {path} yet: give --items FILE" in refused(capsys, path)
    assert not path.exists()
    said = refused(capsys, tmp_path / "items.csv")
    assert "ADDRESS must be the arena's own file" in said and "--items" in said
    items = tmp_path / "items.csv"
    for nothing in (items, tmp_path):
        said = refused(capsys, path, "--items", nothing)
        assert f"{nothing} is not a file" in said
        assert "Items are a table with the columns name and text" in said
    items.write_text("prompt,content\nterse,Be brief.\n")
    said = refused(capsys, path, "--items", items)
    assert f"{items}: there is no column name; its columns are prompt, content" in said
    items.with_suffix(".jsonl").write_text('{"prompt": "terse", "content": "Be brief."}\n')
    said = refused(capsys, path, "--items", items.with_suffix(".jsonl"))
    assert "line 1: there is no name; it has prompt, content" in said
    items.write_bytes("name,text\nterse,Größe\n".encode("latin-1"))
    assert f"{items} is not text in UTF-8" in refused(capsys, path, "--items", items)
    items.write_text("name\none\n")
    assert "at least two" in refused(capsys, path, "--items", items)
    items.write_text("name,colour\none,red\n")
    assert "line 2: a column must be one of" in refused(capsys, path, "--items", items)
    items.write_text(ITEMS)
    said = refused(capsys, path, "--items", items, "--host", "0.0.0.0")
    assert "--host must be 127.0.0.1 until there is a key" in said
    assert not path.exists()
    Arena(path, ARMS).close()
    assert "until there is a key" in refused(capsys, path, "--host", "0.0.0.0")
    made_keys(path)
    assert "public url must be" in refused(capsys, path, "--public-url", "nonsense")
    assert "origin must be" in refused(capsys, path, "--origin", "*")
    taken = free_port()
    with socket.socket() as other:
        other.bind(("127.0.0.1", taken))
        other.listen()
        said = refused(capsys, path, "--port", taken)
        assert f"port {taken}" in said and "Give another --port" in said


def test_what_does_not_serve_needs_no_port(tmp_path, capsys):
    (tmp_path / "items.csv").write_text(ITEMS)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = str(other.getsockname()[1])
        path = str(tmp_path / "arena.db")
        command = ["serve", path, "--items", str(tmp_path / "items.csv"), "--prepare"]
        assert main([*command, "--port", taken]) == 0
    assert f"127.0.0.1:{taken}/admin#key=spk_" in capsys.readouterr().out


def test_the_items_of_the_guide_make_an_arena(tmp_path):
    guide = (TESTS.parent / "docs" / "arena.md").read_text()
    (items,) = re.findall(r"```text\n(name,.*?)```", guide, re.S)
    (tmp_path / "items.csv").write_text(items)
    path = str(tmp_path / "arena.db")
    command = ["serve", path, "--items", str(tmp_path / "items.csv"), "--prepare", "--quiet"]
    assert main(command) == 0
    with Arena(path) as arena:
        assert list(arena.arms) == ["plain", "polite", "longer"]
        assert arena.settings.uniform == 0.05
