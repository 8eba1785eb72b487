import type { BrowserContextOptions } from 'playwright-core'

/** Otherwise the browser identifies as automated, and its visits count as those of a bot. */
export const visitorBrowser: BrowserContextOptions = {
  userAgent:
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  extraHTTPHeaders: { 'sec-ch-ua': '"Chromium";v="141", "Not.A/Brand";v="24"' },
}
