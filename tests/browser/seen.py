"""What is seen of a panel in a browser: its curves, markers, buttons and readout."""

import numpy as np
import pytest


def panel(page, name):
    return page.locator(f"#panel-{name}")


def chart(section):
    return section.locator(".chart:visible")


def curves(section):
    """Whose curves are drawn."""
    found = (
        chart(section)
        .locator("[data-of]:visible")
        .evaluate_all("all => all.map((one) => one.dataset.of)")
    )
    return list(dict.fromkeys(found))


def key(section, label):
    return section.locator(".legend").get_by_role("button", name=label, exact=True)


def markers(section, label):
    """Where the markers of a curve are, in points of the figure."""
    found = (
        chart(section)
        .locator("[data-of] use:not([fill-opacity])")
        .evaluate_all(
            """(all, label) => all.filter((one) => one.closest("[data-of]").dataset.of === label)
        .map((one) => [Number(one.getAttribute("x")), Number(one.getAttribute("y"))])""",
            label,
        )
    )
    return np.array(found)


def readout(section):
    """The heading of a readout and its numbers, label by label."""
    box = chart(section).locator(".readout")
    assert box.is_visible()
    labels, numbers = (box.locator(tag).all_text_contents() for tag in ("dt", "dd"))
    found = {
        label: tuple(float(part.replace(",", "")) for part in text.split("±"))
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
