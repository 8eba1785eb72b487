import type { ConsentCategory, EventContract, Outcome } from '../registry/event-contract.ts'
import { compileContract, compileContracts } from './contracts/compile.ts'
import type { EnvelopeOptions } from './envelope/envelope.ts'
import type { KeyClass } from './envelope/event-time.ts'
import { readIngest } from './envelope/ingest-envelope.ts'
import type { CallType } from './envelope/track-envelope.ts'
import { readTrack } from './envelope/track-envelope.ts'
import type { GatePreset, Severities } from './issues.ts'
import type { BotReason, Known, Verdict } from './judge.ts'
import { judgeReading } from './judge.ts'
import { defaultRules } from './names/default-rules.ts'
import type { MappingRule } from './names/mapping.ts'
import { compileMapping } from './names/mapping.ts'

/** What the gate knows in a case. */
type CaseFacts = {
  receivedAt: number
  contracts?: readonly EventContract[]
  versions?: readonly EventContract[]
  rules?: readonly MappingRule[]
  severities?: Severities
  /** Learning by default, as in a new workspace. */
  preset?: GatePreset
  keyClass?: KeyClass
  consent?: { denied: readonly ConsentCategory[]; onDenied: 'reject' | 'anonymous' }
  suppressed?: boolean
  botReason?: BotReason
  fallbackAnonymousId?: string
  sentAt?: unknown
  context?: unknown
  sizeBytes?: number
  isHistorical?: boolean
  type?: CallType
}

/**
 * An event, what is known, and the expected verdict: every implementation of the gate must pass the file of
 * cases.
 */
export type GateCase = {
  name: string
  endpoint: 'track' | 'ingest'
  given: CaseFacts
  input: unknown
  /** The event is JSON text, because a value read from the file would lose information. */
  inputIsText?: boolean
  expect: { outcome: Outcome; codes: readonly string[] } & Partial<Omit<Verdict, 'outcome' | 'issues'>>
}

export function judgeCase({ endpoint, given, input, inputIsText }: GateCase): Verdict {
  const { fallbackAnonymousId, sentAt, context, sizeBytes, isHistorical, type } = given
  const options: EnvelopeOptions = {
    ...(fallbackAnonymousId === undefined ? {} : { fallbackAnonymousId: () => fallbackAnonymousId }),
    ...(sizeBytes === undefined ? {} : { sizeBytes }),
    ...(isHistorical === undefined ? {} : { isHistorical }),
    ...(given.keyClass === 'public' ? { ignoresHistorical: true } : {}),
    sentAt,
    context,
  }
  const sent: unknown = inputIsText && typeof input === 'string' ? JSON.parse(input) : input
  const track = type === undefined ? options : { ...options, type }
  const reading = endpoint === 'ingest' ? readIngest(sent, options) : readTrack(sent, track)
  if (reading.kind === 'alias') throw new Error('an alias is no event')
  return judgeReading(reading, knownOf(given))
}

function knownOf(given: CaseFacts): Known {
  const { consent, versions = [] } = given
  const older = versions.map(compileContract)
  return {
    contracts: compileContracts(given.contracts ?? []),
    findVersion: (name, version) =>
      older.find(({ contract }) => contract.name === name && contract.version === version),
    mapping: compileMapping([...(given.rules ?? []), ...defaultRules]),
    keyClass: given.keyClass ?? 'secret',
    receivedAt: given.receivedAt,
    ...(given.preset === undefined ? {} : { preset: given.preset }),
    ...(given.severities === undefined ? {} : { severities: given.severities }),
    ...(given.botReason === undefined ? {} : { botReason: given.botReason }),
    ...(given.suppressed === undefined ? {} : { suppressed: given.suppressed }),
    ...(consent === undefined
      ? {}
      : {
          consent: {
            allowed: (purpose) => (consent.denied.includes(purpose) ? 'denied' : 'granted'),
            onDenied: consent.onDenied,
          },
        }),
  }
}
