/** Attributes that the package leaves out or has wrong, by the elements that need them (WCAG 2.2, 1.3.1, 2.1.1, 4.1.2). */
const ATTRIBUTES: [selector: string, attributes: Record<string, string>][] = [
  // The levels go on from the title of the page.
  ["h3", { "aria-level": "2" }],
  ["h4", { "aria-level": "3" }],
  ["h5", { "aria-level": "4" }],
  [".parameters select, .parameters input[type=text]", { "aria-label": "Value of the parameter" }],
  [".examples-select-element", { "aria-label": "Example" }],
  ["select.content-type", { "aria-label": "Media type" }],
  // It scrolls, so that the keyboard must reach it.
  ["pre.microlight, .highlight-code > *", { tabindex: "0" }],
  // A table, not a landmark without a name.
  ["table[role=region]", { role: "table" }],
];

/**
 * Mends the reference for those who cannot see it or use no mouse, now and whenever it changes.
 * @param place the element that the reference is drawn into
 */
export function keepAccessible(place: Element): void {
  new MutationObserver(() => mend(place)).observe(place, { childList: true, subtree: true });
}

function mend(place: Element): void {
  for (const [selector, attributes] of ATTRIBUTES) {
    for (const element of place.querySelectorAll(selector)) {
      for (const [name, value] of Object.entries(attributes)) {
        if (element.getAttribute(name) !== value) element.setAttribute(name, value);
      }
    }
  }
}
