"""Behind a real proxy: callers are told apart by what it writes, and by nothing that they write."""

import shutil
import socket
import subprocess
import time
from contextlib import contextmanager

import pytest

from live_service import listening
from sparring.arena import Arena
from sparring.web.config import Limits
from web_process import free_port
from web_service import API, ARMS, FREE

pytestmark = pytest.mark.compiled  # no kernel is tested here

HAPROXY = """
defaults
  mode http
  timeout client 300s
  timeout server 300s
  timeout connect 300s
listen arena
  bind 127.0.0.1:{port}
  option forwardfor
  server one 127.0.0.1:{behind}
"""
NGINX = """
daemon off;
pid {folder}/pid;
error_log stderr;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/a;
  proxy_temp_path {folder}/b;
  fastcgi_temp_path {folder}/c;
  uwsgi_temp_path {folder}/d;
  scgi_temp_path {folder}/e;
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://127.0.0.1:{behind};
      proxy_http_version 1.1;
      proxy_request_buffering off;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }}
  }}
}}
"""
FORWARDED = HAPROXY.replace("option forwardfor", "http-request add-header Forwarded for=%[src]")
PROXIES = {"haproxy": HAPROXY, "haproxy with Forwarded": FORWARDED, "nginx": NGINX}


@contextmanager
def proxied(name, folder, behind):
    """The port of a proxy in front of another port."""
    called = name.partition(" ")[0]
    program = shutil.which(called) or shutil.which(called, path="/usr/sbin")
    if program is None:
        pytest.skip(f"needs {called}")
    port, settings = free_port(), folder / "proxy.conf"
    settings.write_text(PROXIES[name].format(port=port, behind=behind, folder=folder))
    command = [program, "-c" if name == "nginx" else "-f", str(settings)]
    command += ["-p", str(folder), "-e", "stderr"] if name == "nginx" else ["-db"]
    process = subprocess.Popen(command)
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except ConnectionRefusedError:
                assert process.poll() is None
                time.sleep(0.02)
        yield port
    finally:
        process.terminate()
        process.wait(60)


@contextmanager
def served(tmp_path, proxy, **limits):
    """The port that callers know; behind it one proxy, or none."""
    Arena(tmp_path / "arena.db", ARMS).close()
    settings = {"proxy_hops": int(proxy is not None), "limits": Limits(**FREE.__dict__ | limits)}
    with listening(tmp_path / "arena.db", **settings) as live:
        port = int(live.url.rpartition(":")[2])
        if proxy is None:
            yield port
        else:
            with proxied(proxy, tmp_path, port) as outside:
                yield outside


def replies(port, *requests):
    """The heads of the replies, each on a connection of its own."""
    heads = []
    for request in requests:
        with socket.create_connection(("127.0.0.1", port), timeout=300) as connection:
            connection.sendall(request)
            heads.append(b"")
            while b"\r\n\r\n" not in heads[-1]:
                part = connection.recv(65536)
                assert part, heads
                heads[-1] += part
    return heads


def vote(number, header="", trailer=""):
    """A vote on no ticket, by another voter each time: it is counted, and gets 404."""
    body = '{"ticket": "none", "answer": "first"}'
    return (
        f"POST {API}/vote HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Voter: voter-{number:04d}\r\n{header}"
        f"Transfer-Encoding: chunked\r\n\r\n{len(body):x}\r\n{body}\r\n0\r\n{trailer}\r\n"
    ).encode()


@pytest.mark.parametrize("proxy", [None, *PROXIES])
@pytest.mark.parametrize("where", ["header", "trailer"])
@pytest.mark.parametrize("name", ["X-Forwarded-For", "Forwarded", "X-Real-IP"])
def test_nobody_is_another_caller_because_he_says_so(tmp_path, proxy, where, name):
    with served(tmp_path, proxy, address_day=5) as port:
        line = f"{name}: {'for=' if name == 'Forwarded' else ''}198.51.{{}}.1\r\n"
        heads = replies(port, *(vote(n, **{where: line.format(n)}) for n in range(8)))
    assert [int(head.split()[1]) for head in heads] == [404] * 5 + [429] * 3


@pytest.mark.parametrize("proxy", PROXIES)
def test_redirects_name_no_scheme_and_no_host(tmp_path, proxy):
    with served(tmp_path, proxy) as port:
        for path, found in (("/admin/", b"../admin"), ("/a/arena/board/", b"../board")):
            (head,) = replies(port, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            assert b"\r\nlocation: %b\r\n" % found in head


@pytest.mark.parametrize("proxy", PROXIES)
def test_metrics_are_not_open_to_callers_of_a_proxy(tmp_path, proxy):
    with served(tmp_path, proxy) as port:
        (head,) = replies(port, b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 401 ")
