/** What a plugin of the package may use, as much of it as is used here. */
interface System {
  React: { createElement(type: unknown, props: object | null, ...children: unknown[]): unknown };
  getComponent(name: string, container?: true): unknown;
  specSelectors: { loadingStatus(): string | undefined };
}

/** The name of the layout below. */
export const LAYOUT = "ReferenceLayout";

/**
 * A layout of the operations and the schemas only: the page around it has the title, the main landmark and the links,
 * and there is one server, so nothing to choose.
 */
export function bringLayout({ React, getComponent, specSelectors }: System) {
  const show = (name: string) => React.createElement(getComponent(name, true), null);
  const Layout = () => {
    const status = specSelectors.loadingStatus();
    if (status === "failed" || status === "failedConfig") return show("errors");
    if (status !== "success") return React.createElement("p", null, "Loading ...");
    return React.createElement("div", { className: "swagger-ui" }, show("operations"), show("Models"));
  };
  return { components: { [LAYOUT]: Layout } };
}
