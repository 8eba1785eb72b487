/**
 * The target of a redirect, from a text that anyone may have written: a path of this product, or `/`. Every
 * redirect that a request can choose passes here. Browsers drop tabs and line ends, read a backslash as a
 * slash and resolve dots before they look at the host. So the same parser reads the text, and only its result
 * is used.
 *
 * The sign-in page embeds the source of this function, so it refers to nothing outside itself.
 */
export function ownPath(text: string): string {
  const base = 'http://own.invalid'
  if (!URL.canParse(text, base)) return '/'
  const { protocol, origin, pathname, search, hash } = new URL(text, base)
  // `/.//other.example` resolves to the path `//other.example`, which alone names another host.
  const isOwn = protocol === 'http:' && origin === base && /^\/(?!\/)/.test(pathname)
  return isOwn ? pathname + search + hash : '/'
}
