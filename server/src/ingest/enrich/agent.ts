import type { BotReason } from '@assay/contract'
import Bowser from 'bowser'
import { isbot } from 'isbot'
import { rememberRecent } from '../../platform/recent-cache.ts'
import {
  browserMarks,
  browserNames,
  type Device,
  deviceMarks,
  systemFallbacks,
  systemMarks,
} from './agent-marks.ts'

export interface Agent {
  readonly browser: string
  readonly browserVersion: string
  readonly os: string
  readonly device: Device
  readonly isBot: boolean
  /** Empty if it is not a bot. */
  readonly botReason: BotReason | ''
}

/** The headers by which a browser describes itself, as sent; empty if it sent none. */
export interface AgentHeaders {
  readonly userAgent: string
  /** Sec-CH-UA */
  readonly brands: string
  /** Sec-CH-UA-Platform */
  readonly platform: string
  /** Sec-CH-UA-Mobile */
  readonly mobile: string
  /** Sec-Purpose, or Purpose as older browsers call it */
  readonly purpose: string
}

/**
 * The longest that browsers send have about 450 (in-app browsers of Meta); more would only slow down the
 * expressions.
 */
const userAgentCharsMax = 512

/** A busy site sees about 2,000 distinct user agents per day; an entry is about 500 bytes. */
const rememberedAgents = 8_192

/** A parsed user agent, and its variants by hints. The hints are a closed set, so it is bounded. */
interface ParsedAgent {
  readonly agent: Agent
  readonly variants: Map<number, Agent>
}

const parseRemembered = rememberRecent<ParsedAgent>(
  (userAgent) => ({ agent: parseUserAgent(userAgent), variants: new Map() }),
  rememberedAgents,
)

/**
 * What a visitor uses. `expectsUserAgent` is true at endpoints for browsers only: there, a missing one
 * suggests a script. A back end that forwards events without one says nothing about the visitor.
 */
export function readAgent(headers: AgentHeaders, expectsUserAgent: boolean): Agent {
  const { userAgent } = headers
  if (userAgent === '') return expectsUserAgent ? missing : unknown
  const parsed = parseRemembered(
    userAgent.length > userAgentCharsMax ? userAgent.slice(0, userAgentCharsMax) : userAgent,
  )
  const hints = readHints(headers)
  if (hints === 0) return parsed.agent
  const known = parsed.variants.get(hints)
  if (known !== undefined) return known
  const agent = withHints(parsed.agent, hints)
  parsed.variants.set(hints, agent)
  return agent
}

const unknown: Agent = {
  browser: '',
  browserVersion: '',
  os: '',
  device: 'other',
  isBot: false,
  botReason: '',
}
const missing: Agent = { ...unknown, device: 'bot', isBot: true, botReason: 'missing_user_agent' }

/** The library's own list lacks two names that it returns. */
const parserNames: ReadonlySet<string> = new Set([
  ...Object.values(Bowser.BROWSER_MAP),
  'Opera Touch',
  'Miui',
])

function parseUserAgent(userAgent: string): Agent {
  const parsed = Bowser.parse(userAgent)
  const marked = findMark(userAgent)
  // For unknown browsers the library returns a part of the text, which would create endless names.
  const name = parserNames.has(parsed.browser.name ?? '') ? (parsed.browser.name ?? '') : ''
  const os = osOf(parsed.os.name ?? '', userAgent)
  const facts = {
    browser: marked?.name ?? browserNames[name] ?? name,
    browserVersion: (marked === undefined ? (parsed.browser.version ?? '') : marked.version).slice(
      0,
      versionCharsMax,
    ),
    os,
  }
  if (isbot(userAgent)) return { ...facts, device: 'bot', isBot: true, botReason: botReasonOf(userAgent) }
  return {
    ...facts,
    device: deviceOf(parsed.platform.type ?? '', os, userAgent),
    isBot: false,
    botReason: '',
  }
}

/** `537.36.1234.5678` is as long as a real version gets. */
const versionCharsMax = 32

function findMark(userAgent: string): { name: string; version: string } | undefined {
  for (const [name, mark] of browserMarks) {
    const found = mark.exec(userAgent)
    if (found !== null) return { name, version: found[1] ?? found[2] ?? '' }
  }
  return undefined
}

function botReasonOf(userAgent: string): BotReason {
  return /headless|phantomjs|slimerjs/i.test(userAgent) ? 'headless' : 'user_agent'
}

function osOf(name: string, userAgent: string): string {
  const marked = systemMarks.find(([, mark]) => mark.test(userAgent))
  if (marked !== undefined) return marked[0]
  if (osNames.has(name)) return name
  return systemFallbacks.find(([, mark]) => mark.test(userAgent))?.[0] ?? ''
}

const osNames: ReadonlySet<string> = new Set(Object.values(Bowser.OS_MAP))

/** The library reports no hardware for many; then the system implies its usual one. */
const usualDevices: ReadonlyMap<string, Device> = new Map([
  ['iOS', 'mobile'],
  ['Android', 'mobile'],
  ['KaiOS', 'mobile'],
  ['macOS', 'desktop'],
  ['Windows', 'desktop'],
  ['Linux', 'desktop'],
  ['Chrome OS', 'desktop'],
])

function deviceOf(platform: string, os: string, userAgent: string): Device {
  const marked = deviceMarks.find(([, mark]) => mark.test(userAgent))
  if (marked !== undefined) return marked[0]
  switch (platform) {
    case 'desktop':
    case 'mobile':
    case 'tablet':
    case 'tv':
      return platform
    default:
      return usualDevices.get(os) ?? 'other'
  }
}

/** Platforms in Sec-CH-UA-Platform, by the name of the system that we store. */
const platforms: readonly (readonly [hint: string, os: string])[] = [
  ['', ''],
  ['"Windows"', 'Windows'],
  ['"macOS"', 'macOS'],
  ['"Android"', 'Android'],
  ['"iOS"', 'iOS'],
  ['"Linux"', 'Linux'],
  ['"Chrome OS"', 'Chrome OS'],
  ['"Chromium OS"', 'Chrome OS'],
]
const platformNumbers: ReadonlyMap<string, number> = new Map(platforms.map(([hint], index) => [hint, index]))

const isMobileBit = 8
const isNotMobileBit = 16
const isPrefetchBit = 32
const isHeadlessBit = 64
const isBraveBit = 128

/** All hints in one small number, which is cheap to look up and has at most 256 values. */
function readHints({ platform, mobile, purpose, brands }: AgentHeaders): number {
  let hints = platform === '' ? 0 : (platformNumbers.get(platform) ?? 0)
  if (mobile === '?1') hints |= isMobileBit
  else if (mobile === '?0') hints |= isNotMobileBit
  // Prefetch and prerender load a page that may never be viewed.
  if (purpose !== '' && /prefetch|prerender|preview/i.test(purpose)) hints |= isPrefetchBit
  if (brands !== '') {
    if (brands.includes('HeadlessChrome')) hints |= isHeadlessBit
    // Brave sends Chrome's user agent and names itself only here.
    if (brands.includes('"Brave"')) hints |= isBraveBit
  }
  return hints
}

function withHints(agent: Agent, hints: number): Agent {
  const os = platforms[hints & 7]?.[1] || agent.os
  const browser = (hints & isBraveBit) !== 0 && agent.browser === 'Chrome' ? 'Brave' : agent.browser
  const hinted = { ...agent, os, browser }
  if (agent.isBot) return hinted
  if ((hints & isHeadlessBit) !== 0) return { ...hinted, device: 'bot', isBot: true, botReason: 'headless' }
  if ((hints & isPrefetchBit) !== 0) return { ...hinted, device: 'bot', isBot: true, botReason: 'prefetch' }
  return { ...hinted, device: hintedDevice(agent.device, os, hints) }
}

/** The hint says whether a mobile layout is wanted; tablets and desktops say no. */
function hintedDevice(device: Device, os: string, hints: number): Device {
  if (device === 'tv' || device === 'other') return device
  if ((hints & isMobileBit) !== 0) return 'mobile'
  if ((hints & isNotMobileBit) === 0) return device
  if (os === 'Android') return 'tablet'
  return device === 'mobile' ? 'desktop' : device
}
