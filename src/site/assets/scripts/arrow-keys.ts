// Opens the previous and the next page of records with the arrow keys.

const RELATIONS: Record<string, string> = { ArrowLeft: "prev", ArrowRight: "next" };

/** Elements in which the arrow keys have another effect: fields, and everything that scrolls sideways. */
const TAKEN = "input, select, textarea, [tabindex]";

document.addEventListener("keydown", (event) => {
  const relation = RELATIONS[event.key];
  const isTaken = event.target instanceof Element && event.target.closest(TAKEN) !== null;
  if (!relation || isTaken || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  document.querySelector<HTMLAnchorElement>(`a[rel=${relation}]`)?.click();
});
