/** One call to the server. Events are batched; every other call is sent alone, in order with them. */
export type Item = { path: string; body: string }

export const eventsPath = '/v1/batch'
