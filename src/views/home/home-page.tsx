import type { FC } from "hono/jsx";
import { COLLECTION_PATH, setParameter } from "../../http/links.ts";
import type { Page } from "../../records/schema.ts";
import { CodeBlock, CurlBlock, ShortenedPage } from "../code.tsx";
import { Layout } from "../layout.tsx";
import { EmptyCollection } from "../records/record-table.tsx";
import { REFERENCE_PATH, SERVICE_SUMMARY, SITE_NAME } from "../site.ts";
import { formatNumber, formatQuantity } from "../text-format.ts";
import { createCodeSamples } from "./code-samples.ts";
import { HoursChart } from "./hours-chart.tsx";
import { formatDate, PeriodTable } from "./period-table.tsx";
import type { Summary } from "./summary.ts";

/** A page of the collection, of which the home page shows only the first record. */
export type SamplePage = { number: number; page: Page };

/** @param sample Undefined if the collection is empty, or if a load has just replaced it */
export function renderHome(summary: Summary, sample: SamplePage | undefined): string {
  const hasRecords = summary.count > 0;
  const { search, searchParams } = new URL(summary.records_url_without_faults);
  return String(
    <Layout path="/" description={summary.description}>
      <div class="columns">
        <div>
          <h1>{SITE_NAME}</h1>
          <p class="lead">A public {SERVICE_SUMMARY}. Use it to develop and test clients.</p>
          {hasRecords ? <Contents {...summary} /> : <EmptyCollection />}
          <CodeBlock code={summary.records_url} label="URL of the collection" />
          <p class="row">
            <a class="button primary" href={COLLECTION_PATH + search}>
              Browse the records
            </a>{" "}
            <a class="button" href={`${REFERENCE_PATH}#try`}>
              Try the API
            </a>
          </p>
          {summary.faults && hasRecords && <Faults {...summary} />}
        </div>
        {sample && <Sample {...sample} {...summary} />}
        <div>
          <Scripts {...summary} />
          {hasRecords && summary.count === summary.loaded.count && <HoursChart {...summary.loaded.hours} />}
        </div>
        {hasRecords && <PeriodTable {...summary} query={searchParams} />}
      </div>
    </Layout>,
  );
}

/** Says what is served: how many records, of which days, from where, and when they were loaded. */
const Contents: FC<Summary> = (summary) => {
  const { count, pages, loaded_at, sample_data_url, grow, loaded } = summary;
  return (
    <p>
      It serves{" "}
      <b>
        {formatQuantity(count, areGenerated(loaded) ? "generated record" : "record")} {formatDays(summary)}
      </b>{" "}
      on {formatQuantity(pages, "page")}: counts of cars, persons, bicycles, trucks, motorcycles and buses
      {count === loaded.count
        ? ` for ${formatQuantity(loaded.cameras, "roadside camera")}.`
        : `. More appear by the clock, ${grow}, up to ${formatNumber(loaded.count)}.`}{" "}
      {formatSources(loaded)}{" "}
      {loaded_at !== null && (
        <>
          Loaded on <time datetime={loaded_at}>{formatDate(loaded_at)}</time>.{" "}
        </>
      )}
      {sample_data_url !== null && <a href={sample_data_url}>Download the sample data as CSV.</a>}
    </p>
  );
};

function formatDays({ first, last, days }: Summary): string {
  if (first === null || last === null) return "";
  if (first === last) return `of ${formatDate(first)}`;
  return `of ${formatQuantity(days, "day")} from ${formatDate(first)} to ${formatDate(last)}`;
}

function areGenerated({ sources, source_count }: Summary["loaded"]): boolean {
  return source_count === 1 && sources[0] === "generated";
}

function formatSources(loaded: Summary["loaded"]): string {
  const { sources, source_count } = loaded;
  if (areGenerated(loaded)) return "";
  if (source_count === 0) return "Their source was not recorded.";
  const more = source_count - sources.length;
  const shown = more > 0 ? [...sources, `and ${more} more`] : sources;
  return `${source_count === 1 ? "Source" : "Sources"}: ${shown.join("; ")}.`;
}

/** Options of `prefer`, and what they show. With a seed, each visit shows the same. */
const FAULTS = [
  ["code=503", "a 503"],
  ["code=429", "a 429"],
  ["body=slow", "a slow body"],
  ["record=missing,seed=4", "a missing count"],
  ["count=-1", "a wrong total"],
] as const;

const Faults: FC<Summary> = ({ prefer, grow, records_url, records_url_without_faults: url }) => {
  const growth = grow === null ? "" : `,grow=${grow}`;
  return (
    <>
      <p class="row">
        <b>Break it on purpose:</b>{" "}
        {FAULTS.map(([options, name]) => (
          <>
            <a class="button" href={`${COLLECTION_PATH}?prefer=${options}${growth}`}>
              {name}
            </a>{" "}
          </>
        ))}
        <a href={`${REFERENCE_PATH}#faults`}>All faults</a>
      </p>
      {(url !== records_url || grow !== null) && (
        <p class="banner">
          This deployment applies <code>{prefer}</code> to every request for the collection that sets no
          options of its own. Add <code>prefer=none</code> to get the unchanged response.
        </p>
      )}
    </>
  );
};

const Sample: FC<SamplePage & Summary> = ({ number, page, records_url, records_url_without_faults: url }) => (
  <div class="example">
    <CurlBlock options="-s" url={setParameter(new URL(url), "page", String(number))} />
    <p>
      The response{url !== records_url && " without the default faults"}, formatted
      {page.results.length > 1 && ` and shortened to one of its ${page.results.length} records`}:
    </p>
    <ShortenedPage page={page} />
  </div>
);

const Scripts: FC<Summary> = ({ records_url, records_url_without_faults: url, rate_limit_seconds }) => (
  <>
    <h2>Read all records</h2>
    <p>
      Follow <code>next</code> until it is null.{" "}
      {rate_limit_seconds === null
        ? "This deployment has no rate limit."
        : `A client that sends too many requests within ${rate_limit_seconds} seconds gets status 429.`}{" "}
      These scripts wait after the statuses 429 and 503
      {url !== records_url && ", and avoid the default faults"}.
    </p>
    {Object.entries(createCodeSamples(url)).map(([language, code]) => (
      <details name="script">
        <summary>{language}</summary>
        <CodeBlock code={code} label={language} />
      </details>
    ))}
  </>
);
