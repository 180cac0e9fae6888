import { writeFileSync } from "node:fs";
import { chromium } from "@playwright/test";
import { findChromium, launchChromium } from "./chromium.ts";

// Makes the picture of the README, light and dark, of a running service: `node test/browser/readme-picture.ts URL`.

const [url = "http://localhost:8787"] = process.argv.slice(2);
const server = await launchChromium(findChromium() ?? "chromium");
const browser = await chromium.connect(server.wsEndpoint());
for (const colorScheme of ["light", "dark"] as const) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1100, height: 1160 } });
  await page.goto(url);
  const png = await page.screenshot();
  await page.goto("about:blank");
  const webp = await page.evaluate(compress, png.toString("base64"));
  writeFileSync(`.github/landing-${colorScheme}.webp`, Buffer.from(webp, "base64"));
}
await server.close();

/** Compresses a PNG to a WebP image of a quarter of its size, which runs in the browser. Both are in Base64. */
async function compress(png: string): Promise<string> {
  const image = Object.assign(new Image(), { src: `data:image/png;base64,${png}` });
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height);
  canvas.getContext("2d")?.drawImage(image, 0, 0);
  const blob = await canvas.convertToBlob({ type: "image/webp", quality: 0.8 });
  return btoa(String.fromCharCode(...(await blob.bytes())));
}
