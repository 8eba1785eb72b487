import { useState } from 'react'

/** By address and name, for as long as the page is open. */
const kept = new Map<string, unknown>()

/** Input at a URL stays when the user leaves and returns, until it is submitted. */
export function useKept<Value>(
  name: string,
  initial: () => Value,
): [Value, (value: Value) => void, () => void] {
  const [key] = useState(() => `${location.pathname}${location.search} ${name}`)
  // boundary: what is kept under a name was put there by this very state, of the same kind.
  const [value, setValue] = useState(() => (kept.has(key) ? (kept.get(key) as Value) : initial()))
  const change = (next: Value) => {
    kept.set(key, next)
    setValue(next)
  }
  return [value, change, () => kept.delete(key)]
}
