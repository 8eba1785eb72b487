/** Nesting depth of a JSON text, by its brackets outside of strings: known before anything is parsed. */
export function jsonDepth(text: string): number {
  let depth = 0
  let deepest = 0
  let isText = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isText && code === 0x5c) at++
    else if (code === 0x22) isText = !isText
    else if (!isText && (code === 0x7b || code === 0x5b)) deepest = Math.max(deepest, ++depth)
    else if (!isText && (code === 0x7d || code === 0x5d)) depth--
  }
  return deepest
}
