import type { Source } from "../../records/statistics.ts";
import type { FC } from "../jsx-runtime.ts";
import type { Summary } from "./summary.ts";

/** Where the records come from, and since when they are served. */
export const Provenance: FC<Summary> = ({ statistics, loaded_at }) => (
  <p>
    {describeSources(statistics.sources)}
    {loaded_at && (
      <>
        {" "}
        The collection was last changed at <time datetime={loaded_at}>{loaded_at.slice(0, 19)}Z</time>.
      </>
    )}
  </p>
);

function describeSources(sources: Source[]): string {
  const isMadeUp = sources.every(({ kind }) => kind === "seed" || kind === "growth");
  if (sources.length === 0) return "It is not recorded where the records come from.";
  if (isMadeUp)
    return "The records are made up: they are the seed of this project. You can load an archive of your own in their place.";
  return `The records come from: ${sources.map(describeSource).join("; ")}.`;
}

function describeSource({ kind, name }: Source): string {
  if (kind === "seed") return "the made-up seed of this project";
  if (kind === "growth") return "made-up records that this deployment adds every half hour";
  return name;
}
