import SwaggerUIBundle from "swagger-ui-dist/swagger-ui-es-bundle.js";
import { keepAccessible } from "./reference/accessibility.ts";
import { bringLayout, LAYOUT } from "./reference/layout.ts";
import { followScheme } from "./reference/scheme.ts";

// Draws the operations of the OpenAPI document into their place on the page.

const place = document.querySelector("#reference");

if (place) {
  followScheme();
  keepAccessible(place);
  SwaggerUIBundle({
    url: "/openapi.json",
    domNode: place,
    plugins: [bringLayout],
    layout: LAYOUT,
    // Off: the links that it makes stand inside buttons, where no screen reader finds them.
    deepLinking: false,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    // One of its themes of which all colours stand out from their background (WCAG 2.2, 1.4.3).
    syntaxHighlight: { theme: "obsidian" },
    // Null keeps the page from asking a validator at another host.
    validatorUrl: null,
  });
}
