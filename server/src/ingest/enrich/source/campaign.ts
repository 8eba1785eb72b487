import { boundText, type Members, textOf } from '../text.ts'
import { type ClickIdType, clickIdNames } from './click-ids.ts'

/** The five UTM fields as sent; comparisons are case-insensitive. */
export interface Utm {
  readonly source: string
  readonly medium: string
  readonly campaign: string
  readonly term: string
  readonly content: string
}

export interface Campaign {
  readonly utm: Utm
  readonly clickIdType: ClickIdType | ''
  readonly clickId: string
}

const noUtm: Utm = Object.freeze({ source: '', medium: '', campaign: '', term: '', content: '' })
export const noCampaign: Campaign = Object.freeze({ utm: noUtm, clickIdType: '', clickId: '' })

/** Google's own click ids stay under 200 characters and Facebook's under 300. */
const clickIdCharsMax = 512

/**
 * A campaign from an object: `context.campaign` names its fields `name`, `source`, …; properties name them
 * `utm_…`.
 */
export function campaignOfMembers(members: Members): Campaign {
  const utm = {
    source: memberText(members, 'utm_source', 'source'),
    medium: memberText(members, 'utm_medium', 'medium'),
    campaign: memberText(members, 'utm_campaign', 'name'),
    term: memberText(members, 'utm_term', 'term'),
    content: memberText(members, 'utm_content', 'content'),
  }
  return assemble(utm, (name) => textOf(members[name], clickIdCharsMax).trim())
}

/**
 * Properties belong to the customer: `source` or `name` there mean something else, so only `utm_…` is read.
 */
export function campaignOfProperties(properties: Members): Campaign {
  // Nearly every event returns here, and reading an unknown object is slow.
  const { utm_source, utm_medium, utm_campaign } = properties
  if (utm_source === undefined && utm_medium === undefined && utm_campaign === undefined) return noCampaign
  const utm = {
    source: textOf(utm_source).trim(),
    medium: textOf(utm_medium).trim(),
    campaign: textOf(utm_campaign).trim(),
    term: textOf(properties.utm_term).trim(),
    content: textOf(properties.utm_content).trim(),
  }
  return assemble(utm, () => '')
}

function memberText(members: Members, name: string, shortName: string): string {
  return textOf(members[name]).trim() || textOf(members[shortName]).trim()
}

function assemble(utm: Utm, clickIdNamed: (name: ClickIdType) => string): Campaign {
  const isNamed = utm.source + utm.medium + utm.campaign + utm.term + utm.content !== ''
  for (const name of clickIdNames) {
    const clickId = clickIdNamed(name)
    if (clickId !== '') return { utm: isNamed ? utm : noUtm, clickIdType: name, clickId }
  }
  return isNamed ? { utm, clickIdType: '', clickId: '' } : noCampaign
}

/** A campaign from a query string (without the question mark). */
export function campaignOfQuery(query: string): Campaign {
  if (query.length < 2) return noCampaign
  const found = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(query)) {
    const key = name.toLowerCase()
    const text = boundText(value.trim())
    // A link that was tagged twice often has an empty field first.
    if (text !== '' && !found.has(key)) found.set(key, text)
  }
  const utm = {
    source: found.get('utm_source') ?? '',
    medium: found.get('utm_medium') ?? '',
    campaign: found.get('utm_campaign') ?? '',
    term: found.get('utm_term') ?? '',
    content: found.get('utm_content') ?? '',
  }
  return assemble(utm, (name) => found.get(name)?.slice(0, clickIdCharsMax) ?? '')
}
