/** Requests whose lines wait together, as `traceparent`: the span of their load links to these. */
export type Traced = { traces?: string[] | undefined }

/** Enough to find an example; a load may hold the lines of thousands of requests. */
export const tracesMax = 16

export function addTraces(to: Traced, traces: readonly string[] | undefined): void {
  if (traces === undefined) return
  to.traces ??= []
  for (const one of traces.slice(0, tracesMax - to.traces.length)) to.traces.push(one)
}
