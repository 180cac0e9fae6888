import type { FC } from "hono/jsx";
import type { Markup } from "../../http/html.ts";
import { COLLECTION_PATH } from "../../records/envelope.ts";
import { ROAD_USERS } from "../../records/road-users.ts";
import { STAND_IN } from "../about.ts";
import { Layout, SITE_NAME } from "../layout.tsx";
import { formatNumber, formatShare } from "../number.ts";
import { DOCUMENT_PATH } from "../openapi/route.ts";
import { REFERENCE_PATH } from "../reference/route.ts";
import { Chart } from "./chart.tsx";
import { Code } from "./code.tsx";
import { writeExamples } from "./examples.ts";
import type { Facts } from "./facts.ts";

/** The landing page. */
export async function renderLanding(facts: Facts): Promise<Markup> {
  return (
    <Layout title={SITE_NAME} path="/" description={facts.description} scripts={["copy", "chart"]}>
      <h1>{SITE_NAME}</h1>
      <p class="lead">
        Cars, persons, bicycles, trucks, motorcycles and buses, counted by roadside cameras: one paginated
        JSON collection, free to read. It is a {STAND_IN}, and answers the same requests in the same way.
      </p>
      <Code code={facts.records_url} label="Address of the collection" address />
      <p class="actions">
        <a class="button primary" href={COLLECTION_PATH}>
          Look at the records
        </a>
        <a class="button" href={REFERENCE_PATH}>
          Try the API
        </a>
        <a class="button" href={DOCUMENT_PATH}>
          OpenAPI document
        </a>
      </p>
      <h2>What is loaded</h2>
      <p>
        The records that come with the service are made up; an archive of your own can be loaded in their
        place.
      </p>
      <WhatIsLoaded {...facts} />
      <h2>Read it</h2>
      <p>
        Each of these runs as it stands: curl gets the newest page, and the programs walk the first three.
      </p>
      <div class="examples">
        {writeExamples(facts.records_url).map(({ language, code }) => (
          <section>
            <h3>{language}</h3>
            <Code code={code} label={language} />
          </section>
        ))}
      </div>
      <h2>Break it on purpose</h2>
      <p>
        To test a client, ask for a bad day: with the header <code>Prefer</code>, or with <code>prefer</code>{" "}
        in the query, which the links keep. They combine.
      </p>
      <Preferences {...facts} />
      <RateLimit {...facts} />
      <h2>Read it while it grows</h2>
      <p>
        {facts.grows
          ? "This collection grows by an observation of each camera every half hour. "
          : "This collection grows when records are added to it. "}
        <a href={`${COLLECTION_PATH}?as_of=latest`}>
          <code>as_of=latest</code>
        </a>{" "}
        holds a walk to one state: its links name the <code>count</code> of that state, and records that are
        added meanwhile shift no page.
      </p>
      <h2>Hold it against the specification</h2>
      <p>
        The project&apos;s command checks every rule of the specification, of this deployment or of any other
        that claims to be the service.
      </p>
      <Code code={`npm run conformance -- ${facts.records_url}`} label="Conformance check" />
    </Layout>
  );
}

const Preferences: FC<Facts> = ({ preferences }) => (
  <section class="scroll" aria-label="Preferences" tabindex={0}>
    <table class="preferences">
      <thead>
        <tr>
          <th scope="col">Example</th>
          <th scope="col">What it does</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        {preferences.map(({ example, description, value }) => (
          <tr>
            <th scope="row">
              <a href={`${COLLECTION_PATH}?prefer=${encodeURIComponent(example)}`}>
                <code>{example}</code>
              </a>
            </th>
            <td>{description}</td>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

const RateLimit: FC<Facts> = ({ rate_limit_seconds: seconds }) =>
  seconds === null ? (
    <p>How often a client asks is not limited here.</p>
  ) : (
    <p>
      Who asks too often within {seconds} seconds is answered 429, with <code>Retry-After</code>.
    </p>
  );

const WhatIsLoaded: FC<Facts> = ({ count, pages, statistics }) => {
  if (count === 0) return <p>At the moment nothing is loaded: the collection is empty.</p>;
  if (!statistics)
    return <Tiles rows={[["Records", formatNumber(count), `${formatNumber(pages)} pages of 15`]]} />;
  const { first, last, cameras, camera_ok, totals } = statistics;
  const known = camera_ok.True + camera_ok.False;
  const counted = ROAD_USERS.reduce((sum, name) => sum + totals[name], 0);
  return (
    <>
      <Tiles
        rows={[
          ["Records", formatNumber(count), `${formatNumber(pages)} pages of 15`],
          ["Cameras", formatNumber(cameras), `${formatNumber(counted)} road users counted`],
          ["Oldest and newest", `${toDay(first)} – ${toDay(last)}`, `newest at ${last}`],
          [
            "Camera health",
            formatShare(camera_ok.True, known),
            `True, of ${formatNumber(known)} that say so`,
          ],
        ]}
      />
      <Chart {...statistics} />
    </>
  );
};

/** The day of a timestamp, in a form that does not break at its hyphens. */
function toDay(timestamp: string | null): string {
  return (timestamp ?? "").slice(0, 10).replaceAll("-", "\u2011");
}

const Tiles: FC<{ rows: [name: string, value: string, detail: string][] }> = ({ rows }) => (
  <dl class="facts">
    {rows.map(([name, value, detail]) => (
      <div>
        <dt>{name}</dt>
        <dd>
          <strong>{value}</strong> <span>{detail}</span>
        </dd>
      </div>
    ))}
  </dl>
);
