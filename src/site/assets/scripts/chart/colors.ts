/**
 * A colour of the style sheet, as the current scheme has it, or as the person forces it.
 * @param adjust `none` where a colour tells something that no other does
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
