/** The package has no types. These are the parts that the site uses. */
declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  export default function SwaggerUIBundle(options: object): unknown;
}
