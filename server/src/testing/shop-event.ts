/** One event as a report sees it. */
export type Seen = {
  id: string
  ms: number
  session: string
  person: string
  name: string
  path: string
  target: string
  node: string
  country: string
  region: string
  city: string
  source: string
  device: string
  isBot: boolean
  amount: number
  currency: string
  host: string
  title: string
  channel: string
  campaign: string
  language: string
  /** As sent, nested. */
  properties: Readonly<Record<string, unknown>>
}
