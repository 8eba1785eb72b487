/** A session: its id, when it began, when something last happened, how many pages were seen. */
export type Session = [id: string, beganAt: number, lastAt: number, pages: number]

/** What is known of this visitor between two pages. Names are short because every event reads it. */
export type Kept = {
  /** Anonymous id. */
  a?: string
  /** The site's own id of the person. */
  u?: string
  s?: Session
  /** The consent that was last told to the server, as JSON. */
  c?: string
  /** Requests since the last one that succeeded, and when the last was made. */
  n?: number
  t?: number
}

export type Device = {
  read: () => Kept
  write: (kept: Kept) => void
  /** From now on things may be kept here. */
  allow: () => void
  /** Whether they are: it is allowed, and the browser lets us. */
  isKept: () => boolean
  /** Takes everything away and keeps nothing more. */
  forbid: () => void
  /** Replaces the unsent calls that outlive this page; an empty text takes them away. */
  saveQueue: (text: string) => void
  /** What earlier pages could not send. */
  takeQueues: () => string[]
}

/**
 * Local storage as far as it may be and can be used: it is touched for writing only after `allow`, and a browser
 * that blocks it leaves everything in memory.
 */
export function openDevice(name: string, queueName: string, isUsable: boolean): Device {
  const queuePrefix = `${name}.q.`
  let isAllowed = false
  let isKept = false
  let memory: Kept = readKept(isUsable ? get(name) : null)

  function get(key: string): string | null {
    try {
      return localStorage.getItem(key)
    } catch {
      // Blocked by the browser or the visitor, which is their right; memory has to do.
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
      // Blocked or full. What does not fit is still in memory, and sent from there.
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
    saveQueue: (text) => void set(queuePrefix + queueName, text),
    takeQueues: () =>
      queueKeys().map((key) => {
        const text = get(key) ?? ''
        set(key, '')
        return text
      }),
  }
}

function readKept(text: string | null): Kept {
  try {
    return Object(JSON.parse(text ?? '{}'))
  } catch {
    // Somebody else wrote under our name: begin anew.
    return {}
  }
}
