import * as z from "zod";
import { print } from "../command-line/print.ts";
import { loadSampleData } from "../data/sample-data.ts";
import { type Configuration, formatDataCommand, type StoreName } from "../data/stores/configuration.ts";
import { withStore } from "../data/stores/open-store.ts";
import { runWrangler, runWranglerJson } from "../wrangler.ts";

/**
 * Creates a missing database, applies migrations, and loads the sample data into an empty database. Nothing is loaded into KV, because a
 * namespace with records may look empty for a minute.
 * @param options.isFirst Whether the worker was never deployed. A later deployment loads no sample data, because the worker may already serve
 * records of a different store, and the sample data must not replace these records.
 * @throws Error if the worker would have no records to serve, or if wrangler fails
 */
export async function prepareProductionStore(
  configuration: Configuration,
  { store, isFirst }: { store: StoreName; isFirst: boolean },
): Promise<void> {
  if (store === "d1") await createDatabase(configuration);
  const choice = { store, remote: true };
  if (isFirst && store === "d1") return loadSampleData(choice);
  const { snapshot } = await withStore(choice, "write", (opened) => opened.store.readCurrent());
  if (snapshot.id !== null) return;
  const lag = store === "kv" ? " KV shows a load up to a minute late." : "";
  throw new Error(
    `No records were found in the ${store} store. This deployment does not load the sample data, because it could replace records that are being served. Load your own records with \`${formatDataCommand("load FILE", choice)}\`, or the sample data with \`${formatDataCommand("load data/seed/*.csv", choice)}\`.${lag}`,
  );
}

const DatabaseList = z.array(z.object({ name: z.string() }));

async function createDatabase({ d1_databases }: Configuration): Promise<void> {
  const database = d1_databases?.find(({ binding }) => binding === "DB");
  // Without a name there is nothing to create, and wrangler reports the missing database.
  if (database?.database_name === undefined || database.database_id !== undefined) return;
  const { database_name: name } = database;
  const databases = await runWranglerJson(DatabaseList, ["d1", "list", "--json"]);
  if (databases.some((existing) => existing.name === name)) return;
  print(`  creating the database ${name}`);
  await runWrangler(["d1", "create", name]);
}
