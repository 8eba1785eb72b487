import type { Config } from '../config.ts'
import type { Subjects } from '../consent/subjects.ts'
import { createDelivery } from '../http/outbound-address.ts'
import type { People } from '../identity/people.ts'
import type { Writer } from '../ingest/loader/loader.ts'
import type { Clock, NewId } from '../platform/clock.ts'
import { sharedRun } from '../platform/concurrency/shared-run.ts'
import type { ItemFailure } from '../platform/items.ts'
import type { Failures } from '../platform/logging/failures.ts'
import type { Logger } from '../platform/logging/logger.ts'
import type { SendNotice } from '../platform/notices.ts'
import type { Control } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import type { StoredFiles } from '../store/files/stored-files.ts'
import { sharedSecret } from '../store/installation.ts'
import type { PersonalDataPlace } from '../store/people/personal-data.ts'
import { hearForgotten, sweepForgotten } from './erasure/late-events.ts'
import { forgetPeople } from './erasure/person-erasure.ts'
import { clearFiles } from './erasure/replaced-files.ts'
import { exportPerson, removeOldArchives } from './requests/person-export.ts'
import type { Requests } from './requests/requests.ts'
import { linksOf, type SigningKey, signingKeyOf } from './requests/signature.ts'
import { createWorker, type Handle, type Worker } from './requests/worker.ts'

/** Data-subject requests, and the worker that processes them. */
export type Privacy = Worker & {
  /** Number of concurrent calls of `work`. */
  lanes: number
  /** Processes a request; for callers that run their own worker. */
  handle: Handle
  requests: Requests
  key: SigningKey
  files: StoredFiles
  /** Everything that holds something of people. */
  places: readonly PersonalDataPlace[]
  removeOldArchives: (onFailure: ItemFailure) => Promise<void>
  /** Erases what another node had in its log while a person was erased. */
  sweepForgotten: (onFailure: ItemFailure) => Promise<void>
}

type PrivacyOptions = {
  control: Control
  events: Events
  people: People
  subjects: Subjects
  writer: Writer
  /** Every place that holds something of people, in the order in which they are emptied. */
  places: readonly PersonalDataPlace[]
  files: StoredFiles
  config: Pick<Config, 'allowPrivateCallbacks' | 'requestsAtOnce'>
  publicUrl: () => string
  now: Clock
  newId: NewId
  sendNotice: SendNotice
  logger: Logger
  failures: Pick<Failures, 'report'>
}

export async function createPrivacy(options: PrivacyOptions): Promise<Privacy> {
  const { config, control, events, people, subjects, writer, places, files, publicUrl } = options
  const { now, newId, sendNotice, failures } = options
  const links = linksOf(await sharedSecret(control, 'privacy_links'))
  const key = signingKeyOf(await sharedSecret(control, 'privacy_signing'))
  const requests: Requests = { control, people, links, now, newId, publicUrl, sendNotice }
  const shared = { control, events, people, writer, places, now }
  const exporter = { ...shared, files }
  const forgetter = { ...shared, subjects, key, clearFiles: sharedRun(() => clearFiles(shared, places)) }
  await hearForgotten(control, places, (error) => failures.report('data-subject requests', error))
  const handle: Handle = async (rows, report, keep) => {
    const [first] = rows
    if (first === undefined || first.type === 'forget') return forgetPeople(forgetter, rows, report, keep)
    const reportRows = (step: string, done: number) => report(step, new Map([[first.id, done]]))
    return new Map([[first.id, await exportPerson(exporter, first, reportRows)]])
  }
  const worker = createWorker({
    requests,
    holder: newId('worker'),
    handle,
    deliver: createDelivery(config.allowPrivateCallbacks),
    key,
    logger: options.logger.child({ component: 'data-subject requests' }),
    failures,
  })
  return {
    ...worker,
    lanes: config.requestsAtOnce,
    handle,
    requests,
    key,
    files,
    places,
    removeOldArchives: (onFailure) => removeOldArchives(files, now, onFailure),
    sweepForgotten: (onFailure) => sweepForgotten(forgetter, onFailure),
  }
}
