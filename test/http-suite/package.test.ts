import { afterAll, describe } from "vitest";
import { createLiveTarget, findDeployment } from "../live/target.ts";
import { makeRecords } from "../records/sample.ts";
import { importPackage } from "../tools/package/built.ts";
import { describeService } from "./suite.ts";

describe("the package, over a socket,", async () => {
  const { createService } = await importPackage();
  const records = makeRecords(100);
  const server = await createService({ records }).listen({ port: 0 });
  afterAll(() => server.close());
  describeService({ ...createLiveTarget(await findDeployment(server.url)), records: records.reverse() });
});
