import type { Control } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import type { Clock, NewId } from './clock.ts'
import type { Failures } from './failures.ts'
import type { Logger } from './logger.ts'

/** What every module may use: the stores, the clock, ids, failures, the logger, and our own addresses. */
export type Platform = {
  control: Control
  events: Events
  now: Clock
  newId: NewId
  failures: Failures
  logger: Logger
  /** Where this product is reached from outside; known once it listens. */
  publicUrl: () => string
  /** The same of the data plane. */
  dataUrl: () => string
}
