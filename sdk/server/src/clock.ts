/** Milliseconds since 1970. Passed in wherever time matters, so that it can be tested. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()
