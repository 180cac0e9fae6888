import { fileURLToPath } from "node:url";

/** The folder of wrangler.toml. */
export const PROJECT = fileURLToPath(new URL("..", import.meta.url));
