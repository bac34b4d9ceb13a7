"""orbit_train --report: a page about one run, about the seeds of a folder, or about runs from anywhere."""
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

from training_runs import train, write_config

VOID = {"meta", "br", "img", "link", "input"}


class Balance(HTMLParser):
    """Every tag is closed, in order; nothing is fetched."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attributes):
        assert not {"src", "href", "onload"} & dict(attributes).keys(), (tag, attributes)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def checked(path):
    page = path.read_text()
    balance = Balance()
    balance.feed(page)
    assert balance.open == []
    for drawing in re.findall(r"<svg viewBox.*?</svg></svg>", page, re.S):
        ElementTree.fromstring(drawing)
    for part in ("http:", "https:", "url(", "@import", "<script", "nan", "inf"):
        assert part not in page.split("<h2>Machine</h2>")[0].lower().replace("inference", ""), part
    return page


def test_reports_of_one_run_of_seeds_and_of_different_runs(tmp_path):
    config, first = write_config(tmp_path, "first")
    train("--config", config)
    page = checked(first / "report.html")
    assert "Win rate against random" in page and "3 of 3" in page and "finished" in page

    train("--config", config, "--set", "output.run_name=second", "--set", "training.seed=4")
    done = train("--report", tmp_path / "runs")
    assert str(tmp_path / "runs/report.html") in done.stdout and done.stderr == ""
    page = checked(tmp_path / "runs/report.html")
    assert "2 seeds of first" in page and 'class="member c0"' in page and 'class="band c0"' in page

    train("--config", config, "--set", "output.run_name=third", "--set", "training.lr=2e-3", "--set", "training.iterations=1")
    train("--report", first, tmp_path / "runs/second", tmp_path / "runs/third", "--output", tmp_path / "page.html")
    page = checked(tmp_path / "page.html")
    assert "<tr><td>training.lr</td><td>0.001</td><td>0.002</td></tr>" in page
    before = (first / "report.html").read_bytes()
    (first / "report.html").unlink()
    train("--report", first)
    assert (first / "report.html").read_bytes() == before


def test_what_is_no_run_is_refused_in_one_line(tmp_path):
    (tmp_path / "empty").mkdir()
    for arguments, part in ((["--report", tmp_path / "none"], "none: no such folder"), (["--report", tmp_path / "empty"], "neither a run"),
                            (["--report"], "report"), (["--output", "x.html"], "--output")):
        done = train(*arguments, check=False)
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and part in done.stderr, done.stderr
