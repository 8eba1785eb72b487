/** As much of a browser as a sign-in needs: cookies with their paths, and redirects that are followed one by one. */
type Browser = {
  /** Goes to an address as if a link was followed; answers the page at the end. */
  navigate: (address: string) => Promise<Visit>
  /** A request that a script on the page makes. */
  post: (address: string, body: object, headers?: Record<string, string>) => Promise<Response>
  cookies: () => readonly string[]
}
type Visit = { status: number; url: URL; text: string; steps: readonly URL[] }

type Cookie = { host: string; name: string; value: string; path: string; line: string }
const redirectsMax = 20

export function openBrowser(userAgent = firefox): Browser {
  let jar: Cookie[] = []

  function keep(url: URL, response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ')
      const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
      const path = attributes.find((text) => /^path=/i.test(text))?.slice(5) ?? '/'
      jar = jar.filter((cookie) => cookie.host !== url.host || cookie.name !== name)
      if (value !== '') jar.push({ host: url.host, name, value, path, line })
    }
  }

  async function ask(url: URL, init: RequestInit): Promise<Response> {
    const sent = jar.filter(({ host, path }) => host === url.host && url.pathname.startsWith(path))
    const cookie = sent.map(({ name, value }) => `${name}=${value}`).join('; ')
    const headers = { ...init.headers, 'user-agent': userAgent, ...(cookie !== '' && { cookie }) }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    keep(url, response)
    return response
  }

  return {
    cookies: () => jar.map(({ line }) => line),
    post: (address, body, headers = {}) =>
      ask(new URL(address), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    async navigate(address) {
      const steps: URL[] = []
      for (let url = new URL(address); steps.length < redirectsMax; ) {
        steps.push(url)
        const response = await ask(url, { headers: { accept: 'text/html,application/xhtml+xml' } })
        const target = response.headers.get('location')
        if (target === null) return { status: response.status, url, text: await response.text(), steps }
        await response.body?.cancel()
        url = new URL(target, url)
        // Other servers are not called in tests.
        if (url.hostname !== '127.0.0.1') return { status: response.status, url, text: '', steps }
      }
      throw new Error(`more than ${redirectsMax} redirects, the last to ${steps.at(-1)}`)
    },
  }
}

export const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
