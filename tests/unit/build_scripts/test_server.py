"""The headers that the page needs, which a static host would set too."""

import threading
import urllib.error
import urllib.request

import pytest

import server


@pytest.fixture
def site(tmp_path):
    """The address of a served folder with one file of each kind."""
    for name in ("index.html", "assets/page-abc.js", "pyodide/runtime-1/pyodide.asm.wasm", "pyodide/manifest.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    http = server.make(tmp_path)
    thread = threading.Thread(target=http.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{http.server_address[1]}/"
    http.shutdown()
    thread.join()
    http.server_close()


def headers(address):
    with urllib.request.urlopen(address) as answer:
        return answer.headers


def test_every_answer_isolates_the_page_and_forbids_eval(site):
    got = headers(site)
    assert got["Cross-Origin-Opener-Policy"] == "same-origin"
    assert got["Cross-Origin-Embedder-Policy"] == "require-corp"
    policy = got["Content-Security-Policy"]
    assert "'wasm-unsafe-eval'" in policy
    assert "'unsafe-eval'" not in policy


def test_wasm_has_its_type_and_modules_theirs(site):
    assert headers(f"{site}pyodide/runtime-1/pyodide.asm.wasm")["Content-Type"] == "application/wasm"
    assert headers(f"{site}assets/page-abc.js")["Content-Type"].startswith("text/javascript")


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("assets/page-abc.js", True),
        ("pyodide/runtime-1/pyodide.asm.wasm", True),
        ("pyodide/manifest.json", False),
        ("", False),
    ],
)
def test_only_hashed_paths_are_kept_for_ever(site, path, kept):
    assert ("immutable" in headers(site + path)["Cache-Control"]) == kept


@pytest.mark.parametrize("path", ["missing.js", "assets/", "../../etc/passwd", "assets/missing-abc.js"])
def test_what_is_not_there_is_not_found_and_not_kept(site, path):
    with pytest.raises(urllib.error.HTTPError, match="404") as error:
        urllib.request.urlopen(site + path)
    assert error.value.headers["Cache-Control"] == "no-cache"
    error.value.close()
