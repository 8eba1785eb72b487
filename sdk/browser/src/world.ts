/** Everything that makes one run differ from another, so that the rest can be tested without it. */
export type World = { now: () => number; newId: () => string; advise: (text: string) => void }

/** `randomUUID` exists on HTTPS pages only, and some shops still use HTTP. 128 random bits never collide. */
export function newId(): string {
  let id = ''
  for (const byte of crypto.getRandomValues(new Uint8Array(16))) id += byte.toString(16).padStart(2, '0')
  return id
}

/** For the developer of the page, in the console. */
export const advise = (text: string): void => console.warn(text)

/** React Native has no random bits of its own; with `react-native-get-random-values` they are used. */
export function newAppId(): string {
  if (typeof crypto !== 'undefined' && typeof crypto.getRandomValues === 'function') return newId()
  let id = ''
  for (let part = 0; part < 8; part += 1)
    id += Math.floor(Math.random() * 0x10000)
      .toString(16)
      .padStart(4, '0')
  return id
}
