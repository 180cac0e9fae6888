import { type ErrorReason, HttpError } from "../http/errors.ts";
import type { State } from "../store/store.ts";
import { lastPage, type PageRequest } from "./page.ts";

/** The error for a page that does not exist. Its body is the same for every reason, as in Django REST Framework. */
export function invalidPage(reason: ErrorReason): HttpError {
  return new HttpError(404, { detail: "Invalid page.", reason });
}

/** The error for a walk that keeps to a state of a collection that a load has replaced. */
export function replaced(): HttpError {
  const detail = "The collection was replaced, so the state that as_of names is gone.";
  return new HttpError(404, { detail, reason: { code: "replaced" } });
}

/** The error for a page that is past the end: of a state that exists, or because the collection is smaller than `as_of`. */
export function explainEnd({ asOf }: PageRequest, state: State): HttpError {
  const { count } = asOf === undefined || asOf === "latest" ? state : asOf;
  return count > state.count
    ? invalidPage({ code: "not_reached", count: state.count })
    : invalidPage({ code: "past_the_end", last: lastPage(count) });
}
