import type { SourceCategory } from './lists/source-list.ts'

/** Inputs of a rule. Everything is compared in lower case. */
export interface ChannelFacts {
  readonly source: string
  readonly medium: string
  readonly campaign: string
  readonly category: SourceCategory | ''
  readonly clickIdType: string
}

/**
 * One way to match. Every given field must match one of its patterns; `*` in a pattern matches any text.
 * Patterns are not regular expressions, so that customers can edit rules without being able to stall the
 * server.
 */
interface ChannelMatch {
  readonly source?: readonly string[]
  readonly medium?: readonly string[]
  readonly campaign?: readonly string[]
  readonly category?: readonly SourceCategory[]
  readonly clickIdType?: readonly string[]
}

/** In order; the first rule with a match names the channel. */
export interface ChannelRule {
  readonly channel: string
  readonly anyOf: readonly ChannelMatch[]
}

/** GA4's published expression `^(.*cp.*|ppc|retargeting|paid.*)$`. */
const paid = ['*cp*', 'ppc', 'retargeting', 'paid*']

/**
 * GA4's `^(.*(([^a-df-z]|^)shop|shopping).*)$`: `shop` not inside a word, so that `workshop` does not match
 * but `eshop` does.
 */
const shop = ['*shopping*', 'shop*', ...[...'e -_.:/+|0123456789'].map((before) => `*${before}shop*`)]

const social = ['social', 'social-network', 'social-media', 'sm', 'social network', 'social media']
const email = ['email', 'e-mail', 'e_mail', 'e mail', 'newsletter']

/**
 * GA4's default channel group in its order, with assistants added before search and `newsletter` as e-mail.
 */
export const defaultChannelRules: readonly ChannelRule[] = [
  {
    channel: 'Direct',
    anyOf: [{ source: ['direct', '(direct)'], medium: ['', '(none)', '(not set)', 'none'] }],
  },
  { channel: 'Cross-network', anyOf: [{ campaign: ['*cross-network*'] }] },
  {
    channel: 'Paid Shopping',
    anyOf: [
      { category: ['shopping'], medium: paid },
      { campaign: shop, medium: paid },
    ],
  },
  { channel: 'Paid Search', anyOf: [{ category: ['search'], medium: paid }] },
  { channel: 'Paid Social', anyOf: [{ category: ['social'], medium: paid }] },
  { channel: 'Paid Video', anyOf: [{ category: ['video'], medium: paid }] },
  // `cpm` is also a paid medium, so banners must be recognised before other paid traffic.
  { channel: 'Display', anyOf: [{ medium: ['display', 'banner', 'expandable', 'interstitial', 'cpm'] }] },
  { channel: 'Paid Other', anyOf: [{ medium: paid }] },
  { channel: 'Organic Shopping', anyOf: [{ category: ['shopping'] }, { campaign: shop }] },
  { channel: 'Organic Social', anyOf: [{ category: ['social'] }, { medium: social }] },
  { channel: 'Organic Video', anyOf: [{ category: ['video'] }, { medium: ['*video*'] }] },
  { channel: 'AI Assistants', anyOf: [{ category: ['ai'] }] },
  { channel: 'Organic Search', anyOf: [{ category: ['search'] }, { medium: ['organic'] }] },
  { channel: 'Email', anyOf: [{ category: ['email'] }, { source: email }, { medium: email }] },
  { channel: 'Affiliates', anyOf: [{ medium: ['affiliate', 'affiliates'] }] },
  { channel: 'Audio', anyOf: [{ medium: ['audio'] }] },
  { channel: 'SMS', anyOf: [{ source: ['sms'] }, { medium: ['sms'] }] },
  {
    channel: 'Mobile Push',
    anyOf: [{ medium: ['*push', '*mobile*', '*notification*'] }, { source: ['firebase'] }],
  },
  { channel: 'Referral', anyOf: [{ medium: ['referral', 'app', 'link'] }] },
]

/** When no rule matches. */
const unassignedChannel = 'Unassigned'

export function channelOf(facts: ChannelFacts, rules: readonly ChannelRule[]): string {
  const rule = rules.find((candidate) => candidate.anyOf.some((match) => matches(facts, match)))
  return rule?.channel ?? unassignedChannel
}

function matches(facts: ChannelFacts, match: ChannelMatch): boolean {
  return (
    matchesAny(facts.source, match.source) &&
    matchesAny(facts.medium, match.medium) &&
    matchesAny(facts.campaign, match.campaign) &&
    matchesAny(facts.category, match.category) &&
    matchesAny(facts.clickIdType, match.clickIdType)
  )
}

function matchesAny(text: string, patterns: readonly string[] | undefined): boolean {
  return patterns === undefined || patterns.some((pattern) => matchesPattern(text, pattern))
}

/** Finds the parts between the stars from left to right, which is linear and needs no backtracking. */
export function matchesPattern(text: string, pattern: string): boolean {
  if (!pattern.includes('*')) return text === pattern
  const pieces = pattern.split('*')
  const first = pieces[0] ?? ''
  const last = pieces.at(-1) ?? ''
  if (text.length < first.length + last.length) return false
  if (!text.startsWith(first) || !text.endsWith(last)) return false
  let position = first.length
  const end = text.length - last.length
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, position)
    if (found < 0 || found + piece.length > end) return false
    position = found + piece.length
  }
  return true
}
