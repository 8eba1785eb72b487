import type { MappingRule, RuleOrigin } from './mapping.ts'
import { toSnakeCase } from './names.ts'
import { churn, identify, invite, login, signup } from './targets/accounts.ts'
import { download, feedback, search, share } from './targets/content.ts'
import { click, formSubmit, pageview, sessionEnd, sessionStart } from './targets/pages.ts'
import { purchase, refund, subscribe, upgrade } from './targets/payments.ts'
import type { RuleTarget, Synonyms } from './targets/rule-target.ts'

const targets: readonly RuleTarget[] = [
  purchase,
  signup,
  login,
  invite,
  upgrade,
  subscribe,
  refund,
  search,
  download,
  share,
  feedback,
  churn,
  pageview,
  sessionStart,
  sessionEnd,
  identify,
  click,
  formSubmit,
]

/** A rule's id consists of origin and source, so that it stays the same across releases and sites. */
function ruleOf(source: string, target: string, origin: RuleOrigin, synonyms: Synonyms): MappingRule {
  const propertyMap: Record<string, string> = {}
  for (const [property, others] of Object.entries(synonyms)) {
    for (const other of others) propertyMap[other] ??= property
  }
  const slug = toSnakeCase(source).replace(/[^a-z0-9_]/g, '')
  return { id: `map_${origin}_${slug}`, source, target, propertyMap, origin }
}

/** The ten names of the specification come first. */
const origins = ['seed', 'kin', 'ga4', 'segment', 'mixpanel', 'amplitude'] as const

/** The rules of every new site; each can be edited or disabled. */
export const defaultRules: readonly MappingRule[] = origins.flatMap((origin) =>
  targets.flatMap(({ target, names, synonyms }) =>
    (names[origin] ?? []).map((source) => ruleOf(source, target, origin, synonyms)),
  ),
)
