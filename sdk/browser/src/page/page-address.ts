/** Parameters with secret values; the server removes more, but these must not leave the browser. */
const secretParameter =
  /pass(w|$)|pwd|token|secret|(^|api[-_]?)key$|auth|mail|phone|otp$|session|^sid$|^sig(nature)?$/i

/** The URL without secrets: parameter names stay, so that URLs of one page still look alike. */
export function cleanUrl(address: string): string {
  const [beforeHash = '', hash = ''] = address.split(/#(.*)/s)
  // The fragment is a position within the page, or after a sign-in a token; only a router's path is a page.
  const route = /^[!/]/.test(hash) ? `#${withoutSecrets(hash)}` : ''
  return withoutSecrets(beforeHash) + route
}

function withoutSecrets(address: string): string {
  return address.replace(/([?&])([^=&]*)=([^&]*)/g, (pair, mark: string, name: string, value: string) =>
    secretParameter.test(name) || /@|%40/.test(value) ? `${mark}${name}=` : pair,
  )
}
