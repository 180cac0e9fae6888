/** The package has no types: what of it is used here. */
declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  export default function SwaggerUIBundle(options: object): unknown;
}
