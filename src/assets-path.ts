/** The folder of the assets while they are not built: the build replaces this file (`imports` in package.json, tools/build-assets.ts). */
export const ASSETS_PATH = "/assets/unbuilt";
