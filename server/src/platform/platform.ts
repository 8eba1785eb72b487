import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Control } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import type { StoredFiles } from '../store/files/stored-files.ts'
import type { RunningNodes } from '../store/nodes/running-nodes.ts'
import type { Clock, NewId } from './clock.ts'
import type { Failures } from './logging/failures.ts'
import type { Logger, Print } from './logging/logger.ts'
import type { Mailer } from './mail/mail.ts'
import type { Metrics } from './metrics.ts'
import type { Draining } from './node/drain.ts'
import type { Tracer } from './tracing/tracer.ts'

/** What every module may use: settings, stores, clock, ids, failures, logger, mail, and our own addresses. */
export type Platform = {
  config: Config
  /** Of this process among all that share the stores. */
  nodeId: string
  nodes: RunningNodes
  control: Control
  events: Events
  files: StoredFiles
  now: Clock
  newId: NewId
  failures: Failures
  draining: Draining
  metrics: Metrics
  /** Null where no spans are recorded. */
  tracer: Tracer | null
  logger: Logger
  /** Writes on the operator's terminal. */
  print: Print
  mailer: Mailer
  /** Where an address is, from tables that are part of the product or a city database of the operator's. */
  placeOf: (ip: string) => { country: string; region: string; city: string }
  /** Takes a newer city database, if there is one. */
  refreshPlaces: () => Promise<boolean>
  /** The country of a caller, as far as a trusted proxy or the address say. */
  countryOfRequest: (request: FastifyRequest) => string
  /** Whether a proxy that the operator named hands this request on: then its word for the country counts. */
  isFromProxy: (request: FastifyRequest) => boolean
  /** Public URL of the product; known once it listens. */
  publicUrl: () => string
  /** The same for the data plane. */
  dataUrl: () => string
}
