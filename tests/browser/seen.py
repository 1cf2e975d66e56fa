"""What is seen of a panel in a browser: its curves, markers, ticks, buttons and readout."""

import re

import numpy as np
import pytest


def panel(page, name):
    return page.locator(f"#panel-{name}")


def curves(section):
    return section.locator("g.curve").evaluate_all("all => all.map((one) => one.dataset.label)")


def key(section, label):
    return section.locator(".legend").get_by_role("button", name=label, exact=True)


def markers(section, label):
    """Where the markers of a curve are, in pixels of the plot."""
    transforms = section.locator("g.curve").evaluate_all(
        """(all, label) => all.filter((one) => one.dataset.label === label).flatMap((one) =>
        [...one.querySelectorAll(".mark")].map((mark) => mark.getAttribute("transform")))""",
        label,
    )
    return np.array([[float(n) for n in re.findall(r"-?[\d.]+", one)] for one in transforms])


def ticks(section):
    """The values that the vertical axis names, and where."""
    found = section.locator(".drawing text[x='36']").evaluate_all(
        "all => all.map((one) => [one.textContent, Number(one.getAttribute('y')) - 4 - 26])"
    )
    values = [float(text.rstrip("kM")) * {"k": 1e3, "M": 1e6}.get(text[-1], 1) for text, _ in found]
    return np.array(values), np.array([place for _, place in found])


def readout(section):
    """The heading of a readout and its numbers, label by label."""
    box = section.locator(".readout")
    assert box.is_visible()
    labels, numbers = (box.locator(tag).all_text_contents() for tag in ("dt", "dd"))
    found = {
        label: tuple(
            float(part.replace(",", "").replace("\N{MINUS SIGN}", "-")) for part in text.split("±")
        )
        for label, text in zip(labels, numbers, strict=True)
    }
    return box.locator("b").text_content(), found


def expected(curves, i):
    return {
        curve.label: pytest.approx((curve.mean[i], curve.sd[i]), abs=0.051)
        if max(curve.mean[i], curve.sd[i]) >= 100
        else pytest.approx((curve.mean[i], curve.sd[i]), rel=1e-2, abs=6e-3)
        for curve in curves
    }
