/**
 * Where a person goes on to, from a text that anybody may have written: a path of this product, or `/`. Every redirect
 * that a request can choose passes here. Browsers drop tabs and line ends, read a backslash as a slash and resolve dots
 * before they look at the host. So the same parser reads the text, and only what it made of it is used.
 *
 * The sign-in page carries this very function, so it refers to nothing outside itself.
 */
export function ownPath(text: string): string {
  const base = 'http://own.invalid'
  if (!URL.canParse(text, base)) return '/'
  const { protocol, origin, pathname, search, hash } = new URL(text, base)
  // `/.//other.example` resolves to the path `//other.example`, which by itself names another host.
  const isOwn = protocol === 'http:' && origin === base && /^\/(?!\/)/.test(pathname)
  return isOwn ? pathname + search + hash : '/'
}
