import type { FileFinding } from '../source/sources.ts'

/** A place in the code that sends an event. */
export type CallSite = { event: string; file: string; line: number }

export function callSites(findings: readonly FileFinding[]): CallSite[] {
  return findings.flatMap((one) =>
    one.kind === 'event' ? [{ event: one.event, file: one.file, line: one.line }] : [],
  )
}
