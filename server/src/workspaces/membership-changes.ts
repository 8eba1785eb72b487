/** Notifies the product when a person's memberships changed, so that their access changes at once. */
export type MembershipChanges = {
  /** Resolves when every listener has taken it in. */
  changed: (userId: string) => Promise<void>
  onChanged: (listener: (userId: string) => Promise<void>) => void
}

export function createMembershipChanges(): MembershipChanges {
  // bounded: by the modules that listen, once each at start.
  const listeners: ((userId: string) => Promise<void>)[] = []
  return {
    changed: async (userId) => void (await Promise.all(listeners.map((listener) => listener(userId)))),
    onChanged: (listener) => void listeners.push(listener),
  }
}
