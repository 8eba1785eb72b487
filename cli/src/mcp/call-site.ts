import type { CodeLanguage, EventContract } from '@assay/contract'
import { exampleProperties } from './example-event.ts'

/**
 * Code that sends the event by its name, with an example of each required property. None for Swift, where an event
 * is sent by the type that was generated for it.
 */
export function callSite(language: CodeLanguage, contract: EventContract): string | undefined {
  const example = exampleProperties(contract.properties, (rule) => rule.required === true)
  const properties = JSON.stringify(example, null, 2)
  if (language === 'typescript') {
    return [
      "import { init } from '@assay/browser'",
      "import type { Events } from './assay-events.ts'",
      '',
      "const assay = init<Events>('pk_live_…', { host: 'https://assay.example' })",
      '',
      `assay.track(${JSON.stringify(contract.name)}, ${properties})`,
      '',
    ].join('\n')
  }
  if (language === 'swift') return undefined
  return [
    'import json',
    'import os',
    '',
    'from assay_events import AssayClient',
    '',
    'client = AssayClient(os.environ["ASSAY_URL"], os.environ["ASSAY_KEY"])',
    '',
    'client.person(user_id="u_1").send(',
    '    {',
    `        "event": ${JSON.stringify(contract.name)},`,
    `        "properties": json.loads(${JSON.stringify(JSON.stringify(example))}),`,
    `        "contract_version": ${JSON.stringify(contract.version)},`,
    '    }',
    ')',
    '',
  ].join('\n')
}
