/** Counts, and names that the product has of its own: nothing that a caller or a visitor wrote. */
type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export type SpanWanted = {
  name: string
  attributes?: SpanAttributes
  /** Spans of other traces that led to this one, as `traceparent`. */
  links?: readonly string[] | undefined
}

/** The span of a request, from its head to its answer. */
export type RequestSpan = {
  /** What is begun in here is a part of the request. */
  within: (next: () => void) => void
  end: (status: number) => void
}

/** How operators see where the time of a request goes. Null in its place means that nothing is recorded. */
export type Tracer = {
  /** Work as a span, within the one that runs now. */
  run: <Result>(span: SpanWanted, work: () => Promise<Result>) => Promise<Result>
  /** The same, and only within another span. */
  runWithin: <Result>(span: SpanWanted, work: () => Promise<Result>) => Promise<Result>
  /** The span that runs now, as `traceparent`, if it is recorded. */
  current: () => string | undefined
  /** `caller` is the `traceparent` of the request, which may be anything. */
  openRequest: (span: SpanWanted, caller: unknown) => RequestSpan
  /** Sends what is left, for a bounded time. */
  close: () => Promise<void>
}

export const samplers = [
  'parentbased_always_on',
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

export type TracingSettings = {
  sampler: (typeof samplers)[number]
  /** The share of traces that is recorded, where the sampler takes one. */
  ratio: number
}
