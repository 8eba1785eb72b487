import { useState } from 'react'

/** By address and name, for as long as the page is open. */
const stored = new Map<string, unknown>()

/** Input at a URL stays when the user leaves and returns, until it is submitted. */
export function useStoredState<Value>(
  name: string,
  initial: () => Value,
): [Value, (value: Value) => void, () => void] {
  const [key] = useState(() => `${location.pathname}${location.search} ${name}`)
  // boundary: what is stored under a name was put there by this very state, of the same kind.
  const [value, setValue] = useState(() => (stored.has(key) ? (stored.get(key) as Value) : initial()))
  const change = (next: Value) => {
    stored.set(key, next)
    setValue(next)
  }
  return [value, change, () => stored.delete(key)]
}
