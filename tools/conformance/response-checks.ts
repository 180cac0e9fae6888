import type { ResponseEvent } from "./events.ts";
import { describeValue, isObject, parseBody } from "./response-body.ts";

/** What a response shows: nothing is missing, or how it differs from the reference. */
export type Judgement = true | string;

// The functions below compare a response with the reference.

export function describeStatus({ status, body, headers }: ResponseEvent): string {
  const location = headers.get("Location");
  const target = location === null ? "" : ` with Location ${describeValue(location)}`;
  return `returned ${status}${target}${status >= 400 ? ` with the body ${describeValue(body)}` : ""}`;
}

export function requireStatus(response: ResponseEvent, status: number): string | undefined {
  return response.status === status ? undefined : describeStatus(response);
}

export function requireHeader({ headers }: ResponseEvent, name: string, expected: string): Judgement {
  const value = headers.get(name);
  return value?.toLowerCase() === expected.toLowerCase() || `${name} is ${describeValue(value ?? undefined)}`;
}

export function requirePart({ headers }: ResponseEvent, name: string, part: string): string | undefined {
  const value = headers.get(name);
  return value?.toLowerCase().includes(part) ? undefined : `${name} is ${describeValue(value ?? undefined)}`;
}

export function requireError(response: ResponseEvent, status: number, detail: string): Judgement {
  const { value } = parseBody(Buffer.from(response.body));
  const isRight = response.status === status && isObject(value) && value.detail === detail;
  return isRight || describeStatus(response);
}

/** @param part what the link must contain; null if there must be no link */
export function requireLink(
  { body }: ResponseEvent,
  name: "next" | "previous",
  part: string | null,
): Judgement {
  const { value } = parseBody(Buffer.from(body));
  const link = isObject(value) ? value[name] : undefined;
  const isRight = part === null ? link === null : typeof link === "string" && link.includes(part);
  return isRight || `${name} is ${describeValue(link)}`;
}
