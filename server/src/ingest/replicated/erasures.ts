import { withoutPeople } from '../wal/personal-lines.ts'
import type { KeepLine } from '../wal/segment.ts'
import type { LogErasure } from './partition-store.ts'

/** What is left of the lines of one message after all erasures that were asked for since it was appended. */
export function applyErasures(erasures: readonly LogErasure[], partition: number, seq: number): KeepLine {
  const steps = erasures
    .filter(({ untilSeqs }) => seq <= (untilSeqs[partition] ?? 0))
    .map(({ workspaceId, personIds, mode }) => withoutPeople(workspaceId, personIds, mode))
  return (line) => {
    let left: string | null = line
    for (const step of steps) left = left === null ? null : step(left)
    return left
  }
}
