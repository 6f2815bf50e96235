"""What tests of the page share: a phone, and what a person does there."""

from __future__ import annotations

from playwright.sync_api import Page, expect

expect.set_options(timeout=20_000)  # a busy machine takes its time
PHONE = {"viewport": {"width": 375, "height": 700}, "has_touch": True, "is_mobile": True}


def say(page: Page, text: str) -> None:
    page.get_by_label("Tell something, or ask").fill(text)
    page.keyboard.press("Enter")
    expect(page.locator("body")).to_have_attribute("aria-busy", "false")
    expect(page.get_by_label("Tell something, or ask")).to_have_value("")


def supports(page: Page) -> list[str]:
    """The lit facts in hop order, as (hop, text)."""
    lit = page.locator("#timeline .slot.support")
    found = [
        f"{one.locator('.dot').inner_text()} {one.locator('.text').inner_text()}"
        for one in lit.all()
    ]
    return sorted(found)
