/** The methods of the collection, as `Allow` lists them (specification, "List records"). */
export const METHODS = "GET, OPTIONS";

/** The response to OPTIONS. */
export interface Description {
  name: string;
  description: string;
  renders: string[];
  parses: string[];
}

/** The specification does not show the response to OPTIONS; a Django REST Framework list view responds like this. */
export const DESCRIPTION: Description = {
  name: "Traffic Count Records",
  description: "Counts of road users by roadside cameras, newest first, 15 records a page.",
  renders: ["application/json", "text/html"],
  parses: ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"],
};
