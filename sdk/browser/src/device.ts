import type { Item } from './delivery/item.ts'

/** A session: id, start, time of the last activity, number of pages. */
export type Session = [id: string, beganAt: number, lastAt: number, pages: number]

/** State of this visitor between pages. Names are short because every event reads it. */
export type DeviceStorage = {
  /** Anonymous id. */
  a?: string
  /** The site's own id of the person. */
  u?: string
  s?: Session
  /** The consent last sent to the server, as JSON. */
  c?: string
  /** Requests since the last success, and the time of the last one. */
  n?: number
  t?: number
}

export type Device = {
  read: () => DeviceStorage
  write: (kept: DeviceStorage) => void
  /** From now on data may be stored. */
  allow: () => void
  /** Whether data is stored: it is allowed, and the browser supports it. */
  isKept: () => boolean
  /** Deletes everything and stores nothing more. */
  forbid: () => void
  /** Replaces the unsent calls that outlive this page; without any, deletes them. */
  saveQueue: (items: readonly Item[]) => void
  /** Returns and removes what earlier pages could not send. */
  takeQueues: () => string[]
}

/**
 * Local storage as far as it may and can be used: nothing is written before `allow`, and if the browser
 * blocks it everything stays in memory.
 */
export function openDevice(name: string, queueName: string, isUsable: boolean): Device {
  const queuePrefix = `${name}.q.`
  let isAllowed = false
  let isKept = false
  let memory: DeviceStorage = readKept(isUsable ? get(name) : null)

  function get(key: string): string | null {
    try {
      return localStorage.getItem(key)
    } catch {
      // Blocked by the browser or the visitor; memory has to do.
      return null
    }
  }

  function set(key: string, text: string): boolean {
    if (!isAllowed) return false
    try {
      if (text) localStorage.setItem(key, text)
      else localStorage.removeItem(key)
      return true
    } catch {
      // Blocked or full. The data is still in memory, and sent from there.
      return false
    }
  }

  function queueKeys(): string[] {
    try {
      return Object.keys(localStorage).filter((key) => key.startsWith(queuePrefix))
    } catch {
      return []
    }
  }

  return {
    read() {
      const text = isAllowed ? get(name) : null
      if (text) memory = readKept(text)
      return memory
    },
    write(kept) {
      memory = kept
      set(name, JSON.stringify(kept))
    },
    allow() {
      isAllowed = isUsable
      if (!isKept) isKept = set(name, get(name) ?? JSON.stringify(memory))
    },
    isKept: () => isKept,
    forbid() {
      isAllowed = isUsable
      for (const key of [name, ...queueKeys()]) set(key, '')
      isAllowed = false
      isKept = false
      memory = {}
    },
    saveQueue: (items) => void set(queuePrefix + queueName, items[0] ? JSON.stringify(items) : ''),
    takeQueues: () =>
      queueKeys().map((key) => {
        const text = get(key) ?? ''
        set(key, '')
        return text
      }),
  }
}

function readKept(text: string | null): DeviceStorage {
  try {
    return Object(JSON.parse(text ?? '{}'))
  } catch {
    // Another script wrote under our name: start again.
    return {}
  }
}
