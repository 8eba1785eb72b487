/** Local storage like a browser's: stored names are own properties, as `Object.keys` sees them. */
export function makeStorage(): Storage {
  const own = new Map<string, string>()
  const methods: Record<string, (name: string, text: string) => unknown> = {
    getItem: (name) => own.get(name) ?? null,
    setItem: (name, text) => void own.set(name, text),
    removeItem: (name) => void own.delete(name),
  }
  const storage = new Proxy(methods, {
    ownKeys: () => [...own.keys()],
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  })
  // boundary: the SDK uses no other member.
  return storage as unknown as Storage
}
