/** How often, in words: `once`, `7 times`. */
export function times(number: number): string {
  return number === 1 ? "once" : `${number} times`;
}
