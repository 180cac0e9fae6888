import { fileURLToPath } from "node:url";

/** The folder of the repository. */
export const PROJECT = fileURLToPath(new URL("..", import.meta.url));

/** The configuration in this folder, which every command reads by default. */
export const CONFIGURATION_FILE = "wrangler.toml";
