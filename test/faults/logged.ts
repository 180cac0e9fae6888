import { vi } from "vitest";

/** The reasons in the lines that a spy of `console.error` received in this process. */
export function loggedReasons(): string[] {
  return vi.mocked(console.error).mock.calls.map(([line]) => JSON.parse(line).reason);
}
