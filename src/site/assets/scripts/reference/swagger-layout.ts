/** The parts of the plugin interface of Swagger UI that are used here. */
interface System {
  React: { createElement(type: unknown, props: object | null, ...children: unknown[]): unknown };
  getComponent(name: string, container?: true): unknown;
  specSelectors: { loadingStatus(): string | undefined };
}

/** The name of the layout below. */
export const LAYOUT = "ReferenceLayout";

/**
 * A plugin with a layout that contains only the operations and the schemas. The page already has a title, a main landmark
 * and links, and there is only one server to choose.
 */
export function layoutPlugin({ React, getComponent, specSelectors }: System) {
  const show = (name: string) => React.createElement(getComponent(name, true), null);
  const Layout = () => {
    const status = specSelectors.loadingStatus();
    if (status === "failed" || status === "failedConfig") return show("errors");
    if (status !== "success") return React.createElement("p", null, "Loading ...");
    return React.createElement("div", { className: "swagger-ui" }, show("operations"), show("Models"));
  };
  return { components: { [LAYOUT]: Layout } };
}
