/** Everything that makes one run differ from another, in one place, so that the rest can be tested without it. */
export type World = { now: () => number; newId: () => string; advise: (text: string) => void }

/** `randomUUID` exists on encrypted pages only, and shops still run on plain ones. 128 bits never meet twice. */
export function newId(): string {
  let id = ''
  for (const byte of crypto.getRandomValues(new Uint8Array(16))) id += byte.toString(16).padStart(2, '0')
  return id
}

/** For the developer of the page: it stands in the console. */
export const advise = (text: string): void => console.warn(text)
