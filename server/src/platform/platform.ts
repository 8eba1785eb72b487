import type { Control } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import type { Clock, NewId } from './clock.ts'
import type { Failures } from './failures.ts'
import type { Logger } from './logger.ts'

/** What every module may use: the stores, the clock, ids, failures, the logger, and our own URLs. */
export type Platform = {
  control: Control
  events: Events
  now: Clock
  newId: NewId
  failures: Failures
  logger: Logger
  /** Public URL of the product; known once it listens. */
  publicUrl: () => string
  /** The same for the data plane. */
  dataUrl: () => string
}
