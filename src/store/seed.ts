import type { Fetcher } from "@cloudflare/workers-types";
import { parseSnapshot } from "./snapshot.ts";
import type { Store } from "./store.ts";

/** The folder of the store in the static assets. Clients cannot read this folder, because the worker handles all paths below /api/. */
export const SEED_PATH = "/api/seed";

export function getSeedBlockPath(id: string, number: number): string {
  return `${SEED_PATH}/${id}/${number}.json`;
}

/** A file with the sample data. Clients can download this file instead of reading all pages. */
export const SEED_CSV_PATH = "/seed.csv.gz";

export const SEED_SNAPSHOT_PATH = `${SEED_PATH}/current-snapshot.json`;

/** Creates the store `seed`: the sample data in the static assets of the worker. It belongs to the version, so nothing is ever loaded. */
export function createSeedStore(assets: Pick<Fetcher, "fetch">): Store {
  const read = async (path: string): Promise<string | null> => {
    const response = await assets.fetch(new URL(path, "https://assets.invalid").href);
    if (response.ok) return response.text();
    await response.body?.cancel();
    if (response.status === 404) return null;
    throw new Error(`The static asset ${path} cannot be read: status ${response.status}`);
  };
  return {
    async readCurrent() {
      const text = await read(SEED_SNAPSHOT_PATH);
      if (text === null) throw new Error("The deployment contains no sample data. Run `npm run build`.");
      return { snapshot: parseSnapshot(text) };
    },
    readBlocks: (id, numbers) => Promise.all(numbers.map((number) => read(getSeedBlockPath(id, number)))),
  };
}
