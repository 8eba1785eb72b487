import { sharedSecret } from '../accounts/workspaces.ts'
import type { Clock, NewId } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Subjects } from '../consent/subjects.ts'
import { createDelivery } from '../http/outgoing.ts'
import type { People } from '../identity/people.ts'
import type { EventLog } from '../ingest/log.ts'
import type { Writer } from '../ingest/writer.ts'
import type { Replays } from '../replays/replays.ts'
import type { Control } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import type { TellNotice } from '../telling.ts'
import { exportPerson, removeOldArchives } from './exporting.ts'
import { forgetPerson } from './forgetting.ts'
import { hearForgotten, sweepForgotten } from './late-forgetting.ts'
import type { Requests } from './requests.ts'
import { linksOf, type SigningKey, signingKeyOf } from './signing.ts'
import { createWorker, type Handle, type Worker } from './worker.ts'

/** What people may ask of those who hold their data, and whoever does it. */
export type Privacy = Worker & {
  /** Does what a request asks for; for whoever runs a worker beside this one. */
  handle: Handle
  requests: Requests
  key: SigningKey
  exportsDir: string
  removeOldArchives: () => Promise<void>
  /** Takes away what another node had in its log while somebody was forgotten. */
  sweepForgotten: () => Promise<void>
}

export type PrivacyOptions = {
  control: Control
  events: Events
  people: People
  replays: Replays
  subjects: Subjects
  log: EventLog
  writer: Writer
  config: Pick<Config, 'dataDir' | 'allowPrivateCallbacks'>
  publicUrl: () => string
  now: Clock
  newId: NewId
  tellNotice: TellNotice
  tell: (line: string) => void
}

export async function createPrivacy(options: PrivacyOptions): Promise<Privacy> {
  const { config, control, events, people, replays, subjects, log, writer, publicUrl } = options
  const { now, newId, tellNotice, tell } = options
  const links = linksOf(await sharedSecret(control, 'privacy_links'))
  const key = signingKeyOf(await sharedSecret(control, 'privacy_signing'))
  const requests: Requests = { control, people, links, now, newId, publicUrl, tellNotice }
  const exportsDir = `${config.dataDir}/exports`
  const exporter = { people, events, replays, writer, now, exportsDir }
  const forgetter = { control, events, people, replays, subjects, log, exportsDir, writer, key, now }
  await hearForgotten(forgetter, tell)
  const handle: Handle = (row, report, keep) =>
    row.type === 'forget' ? forgetPerson(forgetter, row, report, keep) : exportPerson(exporter, row, report)
  const worker = createWorker({
    requests,
    holder: newId('worker'),
    handle,
    deliver: createDelivery(config.allowPrivateCallbacks),
    key,
    tell,
  })
  return {
    ...worker,
    handle,
    requests,
    key,
    exportsDir,
    removeOldArchives: () => removeOldArchives(exportsDir, now),
    sweepForgotten: () => sweepForgotten(forgetter),
  }
}
