import {
  findingLevels,
  type InstallationCode,
  type InstallationFinding,
  installationFindings,
  installationLimits,
} from '@assay/contract'
import type { Found } from './page-findings.ts'

type Words = {
  level: InstallationFinding['level']
  detail: (about: string) => string
  nextStep: string | null
}

const minutes = installationLimits.recentMinutes

const words: Readonly<Record<InstallationCode, Words>> = {
  unreachable: {
    level: 'error',
    detail: (reason) => `The page could not be read: ${reason}.`,
    nextStep: 'Check the address. If the page is only open to your network, look at recent events instead.',
  },
  'page-failed': {
    level: 'error',
    detail: (status) => `The page answered ${status}.`,
    nextStep: 'Give an address that anyone can open without signing in.',
  },
  'not-html': {
    level: 'error',
    detail: (type) => `The address answered ${type}, which is not a page.`,
    nextStep: 'Give the address of a page, not of a file.',
  },
  'page-cut': {
    level: 'warning',
    detail: () => `Only the first ${installationLimits.pageBytesMax / 1_000_000} MB of the page were read.`,
    nextStep: 'Put the tag into the head of the page.',
  },
  'tag-missing': {
    level: 'error',
    detail: () => 'The page has no tag.',
    nextStep:
      'Paste the tag into the head of the page. If a tag manager or your bundle adds it, open the page in a browser and look at recent events.',
  },
  'tag-twice': {
    level: 'warning',
    detail: (count) => `The page has ${count} tags. Only the first is used.`,
    nextStep: 'Remove all tags but one.',
  },
  'tag-blocked-insecure': {
    level: 'error',
    detail: () => 'The page is loaded over https and the tag over http. Browsers block it.',
    nextStep: 'Use an https address in the src of the tag.',
  },
  'tag-from-other-host': {
    level: 'warning',
    detail: (origin) => `The tag is loaded from ${origin}, and sends its events there.`,
    nextStep: 'If this is no proxy of yours, use the address of this installation in the src of the tag.',
  },
  'key-missing': {
    level: 'error',
    detail: () => 'The tag has no key, so it sends nothing.',
    nextStep: 'Add data-key with a public key of this site.',
  },
  'key-secret': {
    level: 'error',
    detail: () => 'The tag has a secret key, which anyone can read there.',
    nextStep: 'Revoke this key in Settings, API keys, and use a public key.',
  },
  'key-unknown': {
    level: 'error',
    detail: () => 'The key of the tag is not a key of this workspace.',
    nextStep: 'Create a public key for this site and put it into data-key.',
  },
  'key-revoked': {
    level: 'error',
    detail: (name) => `The key of the tag${name} was revoked.`,
    nextStep: 'Create a public key for this site and put it into data-key.',
  },
  'key-expired': {
    level: 'error',
    detail: (name) => `The key of the tag${name} has expired.`,
    nextStep: 'Extend the key in Settings, API keys, or use another one.',
  },
  'key-of-other-site': {
    level: 'error',
    detail: (site) => `The key of the tag belongs to another site${site}. Its events are counted there.`,
    nextStep: 'Use a public key of this site in data-key.',
  },
  'csp-script': {
    level: 'error',
    detail: (origin) => `The Content Security Policy of the page forbids scripts from ${origin}.`,
    nextStep: 'Add the origin to script-src of the policy.',
  },
  'csp-connect': {
    level: 'error',
    detail: (origin) => `The Content Security Policy of the page forbids sending events to ${origin}.`,
    nextStep: 'Add the origin to connect-src of the policy.',
  },
  'options-invalid': {
    level: 'error',
    detail: () => 'data-options is not valid JSON, so the tag does nothing.',
    nextStep: 'Correct the JSON: names and texts in double quotes, the attribute in single quotes.',
  },
  'consent-waits': {
    level: 'warning',
    detail: () => 'The tag waits for consent: until the visitor agrees it sends nothing.',
    nextStep: "Call assay('consent', 'granted') when the visitor agrees in your banner.",
  },
  'other-domain': {
    level: 'warning',
    detail: (domain) => `The page is not on ${domain}, the domain of this site.`,
    nextStep: 'Check that this page belongs to the site, or change the domain in Settings, Sites.',
  },
  'tag-found': {
    level: 'ok',
    detail: () => 'The tag is in the page, with a key of this site.',
    nextStep: null,
  },
  'events-seen': {
    level: 'ok',
    detail: (count) => `${count} events of this page arrived in the last ${minutes} minutes.`,
    nextStep: null,
  },
  'events-elsewhere': {
    level: 'ok',
    detail: (count) =>
      `${count} events of other pages of this site arrived in the last ${minutes} minutes, none of this one.`,
    nextStep: 'Open the page in a browser and check again.',
  },
  'events-missing': {
    level: 'warning',
    detail: () => `No event of this site arrived in the last ${minutes} minutes.`,
    nextStep:
      'Open the page in a browser without an ad blocker and check again. Events that break a rule are in Quarantine.',
  },
}

/** Each finding once, in the order of the list. */
export function worded(found: readonly Found[]): InstallationFinding[] {
  return installationFindings.flatMap((code) => {
    const one = found.find((each) => each.code === code)
    if (one === undefined) return []
    const { level, detail, nextStep } = words[code]
    return [{ code, level, detail: detail(one.about ?? ''), nextStep }]
  })
}

export function worstOf(findings: readonly InstallationFinding[]): InstallationFinding['level'] {
  return findingLevels.find((level) => findings.some((one) => one.level === level)) ?? 'ok'
}
