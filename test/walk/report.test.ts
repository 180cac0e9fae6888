import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { STORE_NAMES } from "../../data/stores/configuration.ts";
import { runData } from "../run-command.ts";
import { createFolder } from "../temporary-folder.ts";
import { startWorker } from "../worker.ts";
import { walk } from "./walk.ts";

const HEADER = "image_proc,image_capt,camera_ref,model_name,car,person,bicycle,motorcycle,bus,truck,warnings";

/** Local times have their offset. Processing is slow and out of order. */
const EARLY = `${HEADER}
2025-10-28 22:40:00+00:00,2025-10-28 22:30:17+00:00,C94,tf2,1,2,3,4,5,6,0
2025-10-29 00:38:00+02:00,2025-10-29 00:30:17+02:00, Fast01P1,tf2,7,0,1,0,0,2,None
`;
const LATE = `${HEADER}
2025-10-28 23:10:00+00:00,2025-10-28 23:00:17+00:00,C94,tf2,9,9,9,9,9,9,5
2025-10-29 01:09:00+02:00,2025-10-29 01:04:10+02:00,T628 ,tf2,0,1,0,0,0,0,
`;

/** Ids follow processing, and `camera_pk` the first capture. */
const RECORDS = [
  [3, 3, "t628", "2025-10-28T23:04:10Z", null, 0, 1, 0, 0, 0, 0, "tf1"],
  [4, 1, "c94", "2025-10-28T23:00:17Z", "False", 0, 0, 0, 0, 0, 0, "tf1"],
  [2, 1, "c94", "2025-10-28T22:30:17Z", "True", 1, 2, 3, 6, 4, 5, "tf1"],
  [1, 2, "fast01p1", "2025-10-28T22:30:17Z", null, 7, 0, 1, 2, 0, 0, "tf1"],
];

test.each(STORE_NAMES)(
  "a walk over two reports in %s returns every observation once, in order, with all twelve fields",
  async (store) => {
    const folder = createFolder();
    const files = [join(folder, "late"), join(folder, "early")] as const;
    await writeFile(files[0], LATE);
    await writeFile(files[1], gzipSync(EARLY));
    const options = ["--store", store, "--model-name", "tf1", "--persist-to", folder];
    expect(await runData(["load", ...options, ...files])).toMatchObject({ status: 0 });
    const served = await startWorker({ folder, vars: { STORE: store } });
    const walked = await walk(served.origin).finally(() => served.close());
    expect(walked.map((record) => Object.values(record))).toEqual(RECORDS);
  },
);
