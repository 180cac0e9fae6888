import type { Markup } from "../../http/html.ts";
import { Layout } from "../layout.tsx";
import { DOCUMENT_PATH } from "../openapi/route.ts";
import { REFERENCE_PATH } from "./route.ts";

/** The API reference. Its script (src/site/assets/scripts/reference.ts) draws the operations into the place for them. */
export async function renderReference(): Promise<Markup> {
  return (
    <Layout title="API reference" path={REFERENCE_PATH} scripts={["reference"]} styles={["reference"]}>
      <h1>API reference</h1>
      <p class="lead">
        The collection of records, as its <a href={DOCUMENT_PATH}>OpenAPI document</a> describes it. Every
        request can be sent from here.
      </p>
      <div id="reference">
        <noscript>
          <p>The reference needs JavaScript. The OpenAPI document says the same.</p>
        </noscript>
      </div>
    </Layout>
  );
}
