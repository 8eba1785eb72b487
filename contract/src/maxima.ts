/**
 * Maxima of texts that several schemas share. Lengths are in UTF-16 units, as JSON Schema and JavaScript
 * count them up to characters outside the basic plane.
 */

/** A name is 128 characters at most once it is snake_case; some longer ones are quarantined to be renamed. */
export const eventNameCharactersMax = 255
/** Names of properties, traits and context members. */
export const propertyNameCharactersMax = 255
/** `99999-99999-99999` is 17. */
export const contractVersionCharactersMax = 64
export const siteIdCharactersMax = 64

/**
 * The maximum size of an answer to events: a multiple of the request, a share for each event, and a base.
 * Numbers such as 1e20 are written out when properties are sent back, which makes them four times as long.
 */
export const answerBounds = { perRequestByte: 6, perEventBytes: 2_048, baseBytes: 256 * 1024 } as const

/** Properties of an event, and of what is put into or compared with one. */
export const eventPropertiesMax = 255
/** More than a contract may have: the registry then reports the place with more than 255. */
export const contractPropertiesMax = 1_000
export const enumValueCharactersMax = 1_000
/** There are about 25 codes. */
export const severitiesMax = 100

const byGate =
  'The gate judges it: 32 KB, 255 properties, 5 levels, 255 characters in a name (event_too_large).'
const byEventCount = 'At most 1,000 events, 413 names the limit; each is judged by the gate.'
const byTime = 'A time or nothing: what is no time is left out with a warning.'
const byRegistry = 'A nested rule has the shape of the outer one; the registry checks each, five levels deep.'
const byNormalForm =
  'An identifier, or {type, value}: read in the normal form, at most 512 characters, else refused.'
const byReader =
  'Read by readQuestion or readFilters, which bound count, depth and length, and name the place.'
const byToken = 'Compared with a stored value by its hash; whatever else is sent is 401.'

/** Inputs of routes without a schema of their own, and what limits them instead. */
export const openInputs: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'track body',
      'page body',
      'screen body',
      'group body',
      'batch body.batch.[]',
      'importEvents body.batch.[]',
    ].flatMap((event) =>
      ['properties', 'context', 'traits'].map((name) => [`${event}.${name}.^[\\s\\S]*$`, byGate]),
    ),
  ),
  'batch body.batch': byEventCount,
  'batch body.context.^[\\s\\S]*$': byGate,
  'importEvents body.batch': byEventCount,
  'importEvents body.context.^[\\s\\S]*$': byGate,
  ...Object.fromEntries(
    [
      'posthogCapture',
      'clientBatch',
      'posthogFlags',
      'plausibleEvent',
      'umamiSend',
      'ga4Collect',
      'amplitudeEvents',
      'mixpanelTrack',
      'mixpanelEngage',
      'mixpanelImport',
      'matomoTrack',
    ].map((id) => [`${id} body`, byGate]),
  ),
  'siteIngest body.siteId': byToken,
  'siteIngest body.token': byToken,
  'siteIngest body.events': byEventCount,
  'siteIngest body.events.[].type': byGate,
  'siteIngest body.events.[].url': byGate,
  'loadDeadLetter body.event': byGate,
  'loadDeadLetter body.event.^[\\s\\S]*$': byGate,
  'identify body.event_id': byNormalForm,
  'identify body.ts': byTime,
  'identify body.context': byGate,
  'identify body.context.^[\\s\\S]*$': byGate,
  'alias body.event_id': byNormalForm,
  'alias body.ts': byTime,
  'alias body.context': byGate,
  'alias body.context.^[\\s\\S]*$': byGate,
  'validateEvents body.event': byGate,
  'validateEvents body.batch.[]': byGate,
  'identify body.traits.^[\\s\\S]*$': byGate,
  'alias body.from': byNormalForm,
  'alias body.to': byNormalForm,
  'alias body.previous_id': byNormalForm,
  'alias body.user_id': byNormalForm,
  'runQuery body.compare': byReader,
  'runQuery body.metrics.[]': byReader,
  'runQuery body.filters.[].[]': byReader,
  'runQuery body.orderBy.[]': byReader,
  'queryFunnel body.filters.[].[]': byReader,
  'queryDropOff body.filters.[].[]': byReader,
  'postRevenueImpact body.filters.[].[]': byReader,
  'createDigest body.narrowing.filters.[].[]': byReader,
  'updateDigest body.narrowing.filters.[].[]': byReader,
  'createAlert body.question.metric': byReader,
  'createAlert body.question.parts.[]': byReader,
  'createAlert body.question.filters.[].[]': byReader,
  'updateAlert body.question.metric': byReader,
  'updateAlert body.question.parts.[]': byReader,
  'updateAlert body.question.filters.[].[]': byReader,
  'previewAlert body.question.metric': byReader,
  'previewAlert body.question.parts.[]': byReader,
  'previewAlert body.question.filters.[].[]': byReader,
  'createAudience body.filters.[].[]': byReader,
  'updateAudience body.filters.[].[]': byReader,
  'createGoal body.filters.[].[]': byReader,
  'updateGoal body.filters.[].[]': byReader,
  'createBoard body.narrowing.filters.[].[]': byReader,
  'updateBoard body.narrowing.filters.[].[]': byReader,
  'createShare body.narrowing.filters.[].[]': byReader,
  'updateShare body.narrowing.filters.[].[]': byReader,
  'releaseQuarantined body.patch.^[\\s\\S]*$': 'The patched event passes the gate again, with its limits.',
  'createContract body.properties.^[\\s\\S]*$.items': byRegistry,
  'createContract body.properties.^[\\s\\S]*$.properties.^[\\s\\S]*$': byRegistry,
  'changeContracts body.contracts.[].properties.^[\\s\\S]*$.items': byRegistry,
  'changeContracts body.contracts.[].properties.^[\\s\\S]*$.properties.^[\\s\\S]*$': byRegistry,
  'createDefinition body.properties.^[\\s\\S]*$.items': byRegistry,
  'createDefinition body.properties.^[\\s\\S]*$.properties.^[\\s\\S]*$': byRegistry,
  'recordConsent body.proof.^[\\s\\S]*$': 'The proof has at most 4,096 bytes as JSON.',
  'recordReplay body.events.[].data': 'A chunk has at most 1,100,000 characters as JSON.',
  'receiveWebhook body': 'Raw bytes: 4 MB, signed by the vendor.',
  'sendWorkspaceImport body.text': 'A part of a file: the body limit of 4 MB.',
  'checkDuplicate body.a.properties.^[\\s\\S]*$': 'Compared and not stored: the body limit of 4 MB.',
  'checkDuplicate body.b.properties.^[\\s\\S]*$': 'Compared and not stored: the body limit of 4 MB.',
}

/** The longest range of a read, and how far back it may begin. */
export const readDaysMax = 400
