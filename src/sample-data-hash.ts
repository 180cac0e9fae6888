/** The hash of the records in `/seed.csv.gz`. The build replaces this file (`imports` in package.json, tools/build-assets.ts). */
export const SAMPLE_DATA_HASH = "unbuilt";
