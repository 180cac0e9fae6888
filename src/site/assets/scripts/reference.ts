import SwaggerUIBundle from "swagger-ui-dist/swagger-ui-es-bundle.js";
import { keepAccessible } from "./reference/accessibility.ts";
import { LAYOUT, layoutPlugin } from "./reference/swagger-layout.ts";

// Shows the operations of the OpenAPI document with Swagger UI.

const place = document.querySelector("#reference");

/** Switches Swagger UI, which uses a class for this, to dark colours while the reader prefers them. */
function followColorScheme(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", apply);
  apply();
}

if (place) {
  followColorScheme();
  keepAccessible(place);
  SwaggerUIBundle({
    url: "/openapi.json",
    domNode: place,
    plugins: [layoutPlugin],
    layout: LAYOUT,
    // Off, because it puts links inside buttons, where screen readers do not find them.
    deepLinking: false,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    // A theme in which all colours have enough contrast (WCAG 2.2, 1.4.3).
    syntaxHighlight: { theme: "obsidian" },
    // Null prevents requests to a validator on another host.
    validatorUrl: null,
  });
}
