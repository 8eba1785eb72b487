import type { SpanContext } from '@opentelemetry/api'

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/
const sampledFlag = 1

/** W3C Trace Context; null for anything else. */
export function readTraceparent(text: unknown): SpanContext | null {
  if (typeof text !== 'string' || text.length > 200) return null
  const [, version, traceId = '', spanId = '', flags = ''] = pattern.exec(text) ?? []
  // The highest version is reserved, and ids of zeros mean that there is none.
  if (version === undefined || version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return null
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & sampledFlag, isRemote: true }
}

export function writeTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & sampledFlag).toString(16).padStart(2, '0')}`
}
