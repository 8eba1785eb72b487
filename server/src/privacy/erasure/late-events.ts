import { randomBytes } from 'node:crypto'
import { type ForgetMode, forgetModes } from '@assay/contract'
import type { Clock } from '../../platform/clock.ts'
import { forEachItem, type ItemFailure } from '../../platform/items.ts'
import { dayMs } from '../../platform/units.ts'
import type { Control } from '../../store/control.ts'
import type { Events } from '../../store/events.ts'
import { locks } from '../../store/locks.ts'
import {
  dropPersonList,
  fillPersonList,
  listEventIds,
  personList,
  requirePersonList,
} from '../../store/people/person-list.ts'
import { isStored, type PersonalDataPlace } from '../../store/people/personal-data.ts'
import { selectForgotten } from '../personal-data-store.ts'
import { countPlaces } from './places-erasure.ts'

/** Messages between nodes: sender, mode, workspace, and ids. */
const channel = 'assay_privacy_forgotten'
/** A notice of Postgres takes 8,000 bytes, and an id 31. */
const idsPerNotice = 200
/** This process; it has already done what it asks others to do. */
const sender = randomBytes(8).toString('hex')

/** Each node has files of its own. */
export async function publishErasure(
  control: Control,
  workspaceId: string,
  originalIds: readonly string[],
  mode: ForgetMode,
): Promise<void> {
  if (!control.shared) return
  for (let start = 0; start < originalIds.length; start += idsPerNotice) {
    const ids = originalIds.slice(start, start + idsPerNotice)
    await control.notify(channel, [sender, mode, workspaceId, ...ids].join(' '))
  }
}

/** What could not be heard is swept up later. */
export async function hearForgotten(
  control: Control,
  places: readonly PersonalDataPlace[],
  onFailure: (error: unknown) => void,
): Promise<void> {
  const act = async (notice: string) => {
    const [from, given, workspaceId = '', ...originalIds] = notice.split(' ')
    if (from === sender) return
    const mode = forgetModes.find((one) => one === given) ?? 'erase'
    for (const place of places) {
      if (isStored(place)) await place.eraseOnNode?.(workspaceId, originalIds, mode)
    }
  }
  const hear = (notice: string) => {
    act(notice).catch(onFailure)
  }
  await control.listen(channel, hear, () => {})
}

/** A node that was away for longer, with events in its log, has other worries. */
const lateDaysMax = 90

type Sweep = { control: Control; events: Events; places: readonly PersonalDataPlace[]; now: Clock }

/** Rows of people who are forgotten already go as soon as they show up, in whichever table. */
export function sweepForgotten(sweep: Sweep, onFailure: ItemFailure): Promise<void> {
  return sweep.control.exclusively(locks.sweepOfForgotten, () => sweepAll(sweep, onFailure))
}

async function sweepAll({ control, events, places, now }: Sweep, onFailure: ItemFailure): Promise<void> {
  // Files belong to each node, which was notified; what is found by value is not known any more.
  const tables = places.filter(isStored).filter(({ kind }) => kind === 'table')
  const forgotten = await selectForgotten(control, new Date(now() - lateDaysMax * dayMs))
  const ofWorkspace = async ([workspaceId, originalIds]: [string, string[]]) => {
    const list = personList(`late_${workspaceId}`, [])
    const person = { workspaceId, requestIds: [], personIds: originalIds, originalIds, values: [], list }
    try {
      const listed = await fillPersonList(events, list, { originalIds, values: [], salt: '' })
      await listEventIds(events, person)
      const counts = await countPlaces(events, tables, person)
      for (const place of tables) {
        if ((counts.get(place.name) ?? 0) > 0) await place.erase(person, 'erase')
      }
      await requirePersonList(events, list, listed)
    } finally {
      await dropPersonList(events, list)
    }
  }
  await forEachItem(forgotten, ofWorkspace, onFailure)
}
