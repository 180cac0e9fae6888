import type { FC } from "hono/jsx";
import { COLLECTION_PATH } from "../../http/links.ts";
import { ROAD_USERS } from "../../records/road-users.ts";
import type { Page } from "../../records/schema.ts";
import { CodeBlock, CurlBlock, ShortenedPage } from "../code-block.tsx";
import { Layout } from "../layout.tsx";
import { EMPTY_COLLECTION, REFERENCE_PATH, SERVICE_SUMMARY, SITE_NAME } from "../site.ts";
import { formatNumber, formatQuantity, formatShare } from "../text-format.ts";
import { createCodeSamples } from "./code-samples.ts";
import { HoursChart } from "./hours-chart.tsx";
import { formatDate, PeriodTable } from "./period-table.tsx";
import type { Summary } from "./summary.ts";

/** A page of the collection, of which the home page shows only the first record. */
export type SamplePage = { number: number; page: Page };

/** @param sample Undefined if the collection is empty, or if the page cannot be read */
export function renderHome(summary: Summary, sample: SamplePage | undefined): string {
  const hasRecords = summary.count > 0;
  return String(
    <Layout path="/" description={summary.description}>
      <div class="columns">
        <div>
          <h1>{SITE_NAME}</h1>
          <p class="lead">A public {SERVICE_SUMMARY}. Use it to develop and test clients.</p>
          {hasRecords ? <Contents {...summary} /> : <p class="banner">{EMPTY_COLLECTION}</p>}
          <CodeBlock code={summary.records_url} label="URL of the collection" />
          <p class="row">
            <a class="button primary" href={COLLECTION_PATH}>
              Browse the records
            </a>{" "}
            <a class="button" href={`${REFERENCE_PATH}#try`}>
              Try the API
            </a>
          </p>
          {summary.faults && <Faults {...summary} />}
        </div>
        {sample && <SampleResponse {...sample} {...summary} />}
        <Scripts {...summary} />
        {hasRecords && (
          <>
            <div>
              <h2>The collection</h2>
              <Facts {...summary} />
              <PeriodTable {...summary.statistics} />
            </div>
            <HoursChart {...summary.statistics.hours} />
          </>
        )}
      </div>
    </Layout>,
  );
}

/** Says what is served: whose records, of which days, whether more are added, and when they were loaded. */
const Contents: FC<Summary> = ({ count, loaded_at, grows, sample_data_url, statistics }) => {
  const { first, last, cameras } = statistics;
  return (
    <p>
      It serves{" "}
      <b>{formatQuantity(count, areGenerated(statistics) ? "generated sample record" : "record")}</b>
      {first !== null && last !== null && (
        <>
          {" "}
          from <b>{formatDate(first)}</b> to <b>{formatDate(last)}</b>
        </>
      )}
      : counts of cars, persons, bicycles, trucks, motorcycles and buses for{" "}
      {formatQuantity(cameras, "roadside camera")}. {formatSources(statistics)}{" "}
      {grows ? "The newest appear one after another, by the clock." : "No records are added."}{" "}
      {loaded_at !== null && (
        <>
          Loaded on <time datetime={loaded_at}>{formatDate(loaded_at)}</time>.{" "}
        </>
      )}
      {sample_data_url !== null && <a href={sample_data_url}>Download all records as CSV.</a>}
    </p>
  );
};

function areGenerated({ sources, source_count }: Summary["statistics"]): boolean {
  return source_count === 1 && sources[0] === "generated";
}

const MAX_SHOWN_SOURCES = 5;

function formatSources(statistics: Summary["statistics"]): string {
  const { sources, source_count } = statistics;
  if (areGenerated(statistics)) return "";
  if (source_count === 0) return "Their source was not recorded.";
  const shown = sources.slice(0, MAX_SHOWN_SOURCES);
  const more = source_count - shown.length;
  if (more > 0) shown.push(`and ${more} more`);
  return `${source_count === 1 ? "Source" : "Sources"}: ${shown.join("; ")}.`;
}

/** Options of `prefer`, and what they show. With a seed, each visit shows the same. */
const FAULTS = [
  ["code=503", "a 503"],
  ["code=429", "a 429"],
  ["body=slow", "a slow body"],
  ["record=missing,seed=4", "a missing count"],
  ["rows=repeat,seed=4", "a repeated record"],
] as const;

const Faults: FC<Pick<Summary, "prefer">> = ({ prefer }) => (
  <>
    <p class="row">
      <b>Break it on purpose:</b>{" "}
      {FAULTS.map(([options, name]) => (
        <>
          <a class="button" href={`${COLLECTION_PATH}?page=2&prefer=${options}`}>
            {name}
          </a>{" "}
        </>
      ))}
      <a href={`${REFERENCE_PATH}#faults`}>All faults</a>
    </p>
    {prefer !== null && (
      <p class="banner">
        This deployment applies <code>{prefer}</code> to every request for the collection that sets no options
        of its own. Add <code>prefer=none</code> to get the unchanged response.
      </p>
    )}
  </>
);

const SampleResponse: FC<SamplePage & Summary> = ({ number, page, records_url, prefer }) => (
  <div class="example">
    <CurlBlock options="-s" url={`${records_url}?page=${number}${prefer === null ? "" : "&prefer=none"}`} />
    <p>
      The response{prefer !== null && " without the default faults"}, formatted
      {page.results.length > 1 && ` and shortened to one of its ${page.results.length} records`}:
    </p>
    <ShortenedPage page={page} />
  </div>
);

const Scripts: FC<Summary> = ({ records_url, rate_limit_seconds }) => (
  <div>
    <h2>Read all records</h2>
    <p>
      Follow <code>next</code> until it is null.{" "}
      {rate_limit_seconds === null
        ? "This deployment has no rate limit."
        : `A client that sends too many requests within ${rate_limit_seconds} seconds gets status 429.`}{" "}
      These scripts wait after the statuses 429 and 503.
    </p>
    {createCodeSamples(records_url).map(({ language, code }, index) => (
      <details name="script" open={index === 0}>
        <summary>{language}</summary>
        <CodeBlock code={code} label={language} />
      </details>
    ))}
  </div>
);

const Facts: FC<Summary> = ({ count, pages, statistics }) => {
  const { cameras, days, camera_ok, totals } = statistics;
  const known = camera_ok.True + camera_ok.False;
  const health = [
    `${formatShare(camera_ok.True, known)} True`,
    `of ${formatQuantity(known, "record")}, ignoring null`,
  ];
  const facts = [
    ["Records", formatNumber(count), `on ${formatQuantity(pages, "page")}`],
    ["Days with records", formatNumber(days)],
    ["Cameras", formatNumber(cameras)],
    ["camera_ok", ...(known === 0 ? ["null", "in all records"] : health)],
    ["Sums of the counts", "", ROAD_USERS.map((name) => `${name} ${formatNumber(totals[name])}`).join(" · ")],
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value, text]) => (
        <div>
          <dt>{name}</dt>
          <dd>
            <strong>{value}</strong> {text}
          </dd>
        </div>
      ))}
    </dl>
  );
};
