import type { Item } from '../delivery/item.ts'
import type { Device } from '../device.ts'
import type { AppStorage } from './storage.ts'
import { emptyStored, readStored } from './storage-content.ts'
import { createWriter } from './writer.ts'

export type AppDevice = Device & {
  /** What an earlier start of the app left, once. */
  takeItems: () => Item[]
  /** Remembers a refusal, and nothing else. */
  rememberChoice: (choice: string) => void
}

/**
 * The device of an app: read once, then answered from memory and written behind it, one call at a time. Rejects if
 * the storage cannot be read, because what is not known must not be overwritten. Without a storage everything is in
 * memory, and the server recognises visitors, for a day.
 */
export async function openAppDevice(
  storage: AppStorage | undefined,
  name: string,
  onDamage: () => void,
): Promise<AppDevice> {
  const stored = storage ? await readStored(storage, name, onDamage) : emptyStored()
  let memory = stored.kept
  let items: readonly Item[] = []
  let left: Item[] = stored.segments.flatMap((segment) => segment.items)
  let mode: 'unasked' | 'allowed' | 'forbidden' = 'unasked'
  const writer = storage && createWriter(storage, name, stored)

  const save = (): void => {
    if (mode === 'unasked') return
    const kept = mode === 'allowed' ? memory : memory.c ? { c: memory.c } : {}
    // A withdrawal is all that is stored of someone who refused, until the server knows it.
    writer?.save(kept, mode === 'allowed' ? items : items.filter(isConsent))
  }

  return {
    read: () => memory,
    write(next) {
      memory = next
      save()
    },
    allow() {
      mode = 'allowed'
      items = [...left, ...items.filter((item) => !left.includes(item))]
      save()
    },
    isKept: () => mode === 'allowed' && storage !== undefined,
    forbid() {
      mode = 'forbidden'
      memory = memory.c ? { c: memory.c } : {}
      items = [...left, ...items].filter(isConsent)
      save()
    },
    rememberChoice(choice) {
      memory = { ...memory, c: choice }
      save()
    },
    saveQueue(next) {
      items = next
      save()
    },
    takeQueues: () => [],
    takeItems() {
      const taken = mode === 'forbidden' ? left.filter(isConsent) : left
      left = []
      return taken
    },
  }
}

const isConsent = ({ path }: Item): boolean => path === '/v1/consent'
