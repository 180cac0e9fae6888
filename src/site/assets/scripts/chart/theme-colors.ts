/**
 * Reads a colour of the style sheet in the current colour scheme. Forced colours replace it.
 * @param adjust `none` keeps the colour even if colours are forced, for colours that have a meaning
 */
export function readColor(name: string, adjust: "auto" | "none" = "auto"): string {
  const probe = document.createElement("i");
  probe.style.color = `var(--${name})`;
  probe.style.setProperty("forced-color-adjust", adjust);
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}
