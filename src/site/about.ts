/** What the service is, wherever that is said: after `A` or `a public`. */
export const STAND_IN =
  "stand-in for the Traffic Count Records Service, whose original tf1 collection has been switched off";
