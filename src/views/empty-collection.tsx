import type { FC } from "hono/jsx";

/** Shown instead of the records when the collection is empty. */
export const EmptyCollection: FC = () => (
  <p class="banner">The collection is empty. Its owner has loaded no records yet.</p>
);
