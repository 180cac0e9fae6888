/** Attributes that are missing or wrong in Swagger UI, by the elements that need them (WCAG 2.2, 1.3.1, 2.1.1, 4.1.2). */
const ATTRIBUTES: [selector: string, attributes: Record<string, string>][] = [
  // Heading levels continue below the title of the page.
  ["h3", { "aria-level": "2" }],
  ["h4", { "aria-level": "3" }],
  ["h5", { "aria-level": "4" }],
  [".parameters select, .parameters input[type=text]", { "aria-label": "Value of the parameter" }],
  [".examples-select-element", { "aria-label": "Example" }],
  ["select.content-type", { "aria-label": "Media type" }],
  // These elements scroll, so they must be reachable with the keyboard.
  ["pre.microlight, .highlight-code > *", { tabindex: "0" }],
  // A table, because a region needs a name.
  ["table[role=region]", { role: "table" }],
];

/**
 * Corrects the reference for screen readers and keyboards whenever it changes.
 * @param place the element that contains the reference
 */
export function keepAccessible(place: Element): void {
  new MutationObserver(() => correct(place)).observe(place, { childList: true, subtree: true });
}

function correct(place: Element): void {
  for (const [selector, attributes] of ATTRIBUTES) {
    for (const element of place.querySelectorAll(selector)) {
      for (const [name, value] of Object.entries(attributes)) {
        if (element.getAttribute(name) !== value) element.setAttribute(name, value);
      }
    }
  }
}
