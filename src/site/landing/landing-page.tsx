import { COLLECTION_PATH, PAGE_SIZE } from "../../records/page.ts";
import { ROAD_USERS } from "../../records/record.ts";
import type { Statistics } from "../../records/statistics.ts";
import { REFERENCE_PATH, SITE_NAME, STAND_IN } from "../about.ts";
import { CodeBlock } from "../code-block.tsx";
import { JsonText } from "../json-text.tsx";
import type { FC } from "../jsx-runtime.ts";
import { Layout } from "../layout.tsx";
import { formatCount, formatNumber } from "../number-format.ts";
import { Chart } from "./chart.tsx";
import { quoteForShell, writePrograms } from "./client-examples.ts";
import { formatPeriod } from "./periods.ts";
import type { Summary } from "./summary.ts";

/** A page of the collection with only its first record, as an example of a response. */
export interface Sample {
  number: number;
  envelope: object;
  /** The records that are left out. */
  more: number;
}

/** @param sample undefined if the collection is empty */
export function renderLanding(summary: Summary, sample: Sample | undefined): string {
  return (
    <Layout title={SITE_NAME} path="/" description={summary.description} scripts={["copy"]}>
      <div class="intro">
        <div>
          <h1>{SITE_NAME}</h1>
          <p class="lead">
            Cars, persons, bicycles, trucks, motorcycles and buses, counted by roadside cameras: one paginated
            JSON collection that everyone may read. It is a {STAND_IN}.
          </p>
          <CodeBlock code={summary.records_url} label="address of the collection" />
          <p class="row">
            <a class="button primary" href={COLLECTION_PATH}>
              Look at the records
            </a>
            <a class="button" href={REFERENCE_PATH}>
              Try the API
            </a>
          </p>
        </div>
        {sample && <Response {...sample} url={summary.records_url} />}
        <div>
          <h2>The collection</h2>
          <Collection {...summary} />
        </div>
      </div>
      {summary.count > 0 && <Chart {...summary.statistics} />}
      <h2>Read all records</h2>
      <p>
        Follow <code>next</code> until it is null. These programs stop after three pages.
      </p>
      {writePrograms(summary.records_url).map(({ language, code }, index) => (
        <details name="program" open={index === 0}>
          <summary>{language}</summary>
          <CodeBlock code={code} label={language} />
        </details>
      ))}
      <h2>Test a client</h2>
      <p>Ask for an error, a delay, a broken body or wrong data, and the client gets it:</p>
      <CodeBlock code={`curl -si ${quoteForShell(`${summary.records_url}?prefer=code=503`)}`} label="fault" />
      <p>
        The links keep the parameter. The API reference lists{" "}
        <a href={`${REFERENCE_PATH}#faults`}>all faults and their values</a>.
      </p>
      {summary.prefer !== null && (
        <p>
          This deployment does so for every request of the collection that has no preference:{" "}
          <code>{summary.prefer}</code>. With <code>prefer=none</code>, the response is not changed.
        </p>
      )}
      <RateLimit {...summary} />
    </Layout>
  ).html;
}

/** The command, and its response with only one record. */
const Response: FC<Sample & { url: string }> = ({ number, envelope, more, url }) => (
  <div class="example">
    <CodeBlock code={`curl -s ${quoteForShell(`${url}?page=${number}`)}`} label="curl" />
    <pre class="panel">
      <JsonText value={envelope} />
    </pre>
    {more > 0 && <p class="quiet">The page has {formatCount(more, "more record")}.</p>}
  </div>
);

const Collection: FC<Summary> = ({ count, pages, loaded_at, statistics }) => {
  if (count === 0)
    return (
      <p>
        The collection is empty. Load records with <code>npm run data -- load FILE</code>.
      </p>
    );
  const size: Fact = ["Records", formatNumber(count), `${formatCount(pages, "page")} of up to ${PAGE_SIZE}`];
  return (
    <>
      <p>
        {describeSources(statistics)}
        {loaded_at && (
          <>
            {" "}
            The collection was last changed at <time datetime={loaded_at}>{loaded_at.slice(0, 19)}Z</time>.
          </>
        )}
      </p>
      <dl class="facts">
        {[size, ...listFacts(statistics)].map(([name, value, detail]) => (
          <div>
            <dt>{name}</dt>
            <dd>
              <strong>{value}</strong> {detail}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
};

type Fact = [name: string, value: string, detail: string];

function listFacts({ first, last, cameras, camera_ok, totals }: Summary["statistics"]): Fact[] {
  const counted = ROAD_USERS.reduce((sum, name) => sum + totals[name], 0);
  const known = camera_ok.True + camera_ok.False;
  const share = ((100 * camera_ok.True) / known).toFixed(1);
  return [
    ["Cameras", formatNumber(cameras), `${formatCount(counted, "road user")} counted`],
    ["Dates", formatPeriod({ first: String(first), last: String(last) }, "day"), `the newest at ${last}`],
    known === 0
      ? ["Camera health", "Not recorded", "camera_ok is null in all records"]
      : ["Camera health", `${share} % True`, `of ${formatCount(known, "record")} with a known status`],
  ];
}

/** How many sources are named. */
const NAMED_SOURCES = 5;

function describeSources({ sources, source_count }: Pick<Statistics, "sources" | "source_count">): string {
  const isMadeUp = sources.every((source) => source === "generated");
  if (sources.length === 0) return "It is not recorded where the records come from.";
  if (isMadeUp)
    return "The records are made up: they are the seed of this project. You can load an archive of your own in their place.";
  const named = sources.slice(0, NAMED_SOURCES);
  const more = source_count - named.length;
  if (more > 0) named.push(`and ${more} more`);
  return `The records come from: ${named.join("; ")}.`;
}

const RateLimit: FC<Summary> = ({ rate_limit_seconds: seconds }) =>
  seconds === null ? (
    <p>This deployment does not limit the number of requests.</p>
  ) : (
    <p>
      Clients that send too many requests within {seconds} seconds get 429, with <code>Retry-After</code>.
    </p>
  );
