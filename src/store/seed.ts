import type { Fetcher } from "@cloudflare/workers-types";
import { parseState, type Store } from "./state.ts";

/** Where the build puts the seed: below /api/, where the worker runs first, so clients cannot read it. */
export const SEED_PATH = "/api/seed";

/** The path of a file of the seed: its state, or a block of its load. */
export function getSeedPath(load: string, number: number): string {
  return `${SEED_PATH}/${load}/${number}.json`;
}

export const SEED_STATE_PATH = `${SEED_PATH}/state.json`;

/**
 * The seed as static assets of the worker: code and records are one version, and nothing is loaded.
 * @param assets the binding `ASSETS`
 */
export function createSeedStore(assets: Pick<Fetcher, "fetch">): Store {
  const read = async (path: string): Promise<string | null> => {
    const response = await assets.fetch(new URL(path, "https://assets.invalid").href);
    if (response.ok) return response.text();
    await response.body?.cancel();
    if (response.status === 404) return null;
    throw new Error(`The static asset ${path} cannot be read: status ${response.status}`);
  };
  return {
    async readState() {
      const text = await read(SEED_STATE_PATH);
      if (text === null) throw new Error("The deployment contains no seed. Run `npm run build`.");
      return { state: parseState(text) };
    },
    readBlocks: (load, numbers) => Promise.all(numbers.map((number) => read(getSeedPath(load, number)))),
  };
}
