import type { Plane } from '../http/serve.ts'
import type { PersonalDataPlace } from '../store/people/personal-data.ts'
import type { Job } from './scheduler.ts'

/**
 * The order in which what is stored of a person is emptied: the log, so that nothing of it is loaded later; copies that
 * are found through events or identifiers; events; identifiers; the requests themselves; reports made from all that.
 */
export const erasureStages = ['log', 'copies', 'events', 'identity', 'requests', 'caches'] as const
type ErasureStage = (typeof erasureStages)[number]

/** What jobs use of the running product. */
export type Running = {
  /** Carries what the log holds into the events store; false when that takes too long. */
  flushLog: () => Promise<boolean>
  /** The time by which old things may be removed for good. */
  removalNowMs: () => Promise<number>
}

/** What a module hands over to be run, besides what other modules use of it. */
export type Module = {
  /** Serves its routes on a plane. */
  routes?: (plane: Plane) => void
  jobs?: (running: Running) => readonly Job[]
  /** What it stores of people. */
  personalData?: Partial<Record<ErasureStage, readonly PersonalDataPlace[]>>
  /** Evicts what it remembers of a workspace that is gone, or is another than before. */
  workspaceGone?: (workspaceId: string) => void
  /** Reads again what it has to know of a workspace that was imported. */
  workspaceRenewed?: (workspaceId: string) => Promise<void>
  /** Continues what an earlier process did not finish, before the product answers. If it fails, so does the start. */
  resume?: () => void | Promise<void>
  /** Interrupts long work, so that jobs end soon. */
  stop?: () => void | Promise<void>
  close?: () => void | Promise<void>
}
