import {
  type Client,
  type Contract,
  ContractDraft,
  codeLanguages,
  createContract,
  generateCode,
  listContracts,
  OneOf,
} from '@assay/contract'
import { Type } from 'typebox'
import { eventText } from '../../project/event-file.ts'
import { toJson } from '../../project/json-file.ts'
import { eventsFolder, schemaFromEvents } from '../../project/project.ts'
import { toEventContract } from '../../registry/remote.ts'
import { callSite } from '../call-site.ts'
import { contractCases } from '../example-event.ts'
import { findSimilar } from '../similar-events.ts'
import { tool } from '../tool.ts'

const draft = ContractDraft.properties
/** Events to compare with; a larger registry has an owner who knows it. */
const comparedMax = 2_000

export const addEvent = tool({
  name: 'add_event',
  title: 'Add an event',
  description:
    'Registers a new event as a draft, which has no effect until a person publishes it. Events that may be the same ' +
    'thing, by name or by properties, are shown first and nothing is created; use one of those, or call again with ' +
    'even_if_similar. The answer has whole files to write (the contract, the generated code of all events, cases ' +
    'that test the contract) and code that sends the event.',
  input: Type.Object(
    {
      key: Type.String({
        pattern: '^[a-z0-9_]+$',
        maxLength: 100,
        description: 'snake_case, thing then act: plan_chosen',
      }),
      description: Type.String({
        minLength: 10,
        maxLength: 2000,
        description: 'When it happens, for people',
      }),
      owner: Type.String({ minLength: 1, maxLength: 200, description: 'Team or person responsible for it' }),
      category: draft.category,
      properties: draft.properties,
      additional: draft.additional,
      surfaces: draft.surfaces,
      purpose: draft.purpose,
      language: Type.Optional(
        OneOf(codeLanguages, { default: 'typescript', description: 'Language of the code in the answer' }),
      ),
      even_if_similar: Type.Optional(Type.Boolean({ default: false })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    created: Type.Boolean(),
    similar: Type.Array(
      Type.Object({
        key: Type.String(),
        name: Type.String(),
        description: Type.String(),
        score: Type.Number({ description: '0 to 1' }),
        why: Type.String(),
      }),
    ),
    contract: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'The contract as it was registered' }),
    ),
    files: Type.Optional(
      Type.Array(Type.Object({ path: Type.String(), content: Type.String(), about: Type.String() }), {
        description:
          'Whole files: write each as it is. Paths are from the root of the project, of generated code ' +
          'from the folder that assay.json names for it',
      }),
    ),
    snippet: Type.Optional(
      Type.Object({
        language: OneOf(codeLanguages),
        content: Type.String({ description: 'Code that sends the event' }),
      }),
    ),
    test: Type.Optional(
      Type.Object({
        path: Type.String(),
        command: Type.String({ description: 'Runs the cases of that file' }),
      }),
    ),
    next: Type.String({ description: 'Next steps' }),
  }),
  effect: 'adds',
  async run({ language = 'typescript', even_if_similar: isWanted = false, ...event }, { client, now }) {
    const names = Object.keys(event.properties ?? {})
    const similar = findSimilar({ key: event.key, properties: names }, await allContracts(client))
    if (similar.length > 0 && !isWanted) return { created: false, similar, next: lookFirst }
    const made = await client.call(createContract, { body: { ...event, status: 'draft' } })
    const contract = toEventContract(made)
    // With drafts, and all events: a file with this one alone would replace the others.
    const { files } = await client.call(generateCode, { query: { language, environment: 'development' } })
    const cases = `assay/cases/${contract.key}.json`
    const snippet = callSite(language, contract)
    return {
      created: true,
      similar,
      contract: { ...contract },
      files: [
        {
          path: `${eventsFolder}/${contract.key}.json`,
          content: eventText(contract, schemaFromEvents),
          about: 'The contract, as assay pull writes it.',
        },
        ...files.map(({ path, content }) => ({
          path,
          content,
          about: 'Generated code of every event, this draft included.',
        })),
        {
          path: cases,
          content: toJson(contractCases(contract, now())),
          about: 'Cases for the gate.',
        },
      ],
      ...(snippet !== undefined && { snippet: { language, content: snippet } }),
      test: { path: cases, command: `assay validate --cases ${cases}` },
      next: 'It is a draft. Write the files, or run assay pull; publishing makes it live.',
    }
  },
})

const lookFirst =
  'Nothing was created. If one of these is what you mean, send that one. If yours is really another event, call ' +
  'again with even_if_similar: true.'

async function allContracts(client: Client): Promise<Contract[]> {
  const found: Contract[] = []
  let cursor: string | null = null
  do {
    const page: { data: Contract[]; next_cursor: string | null } = await client.call(listContracts, {
      query: { limit: 200, ...(cursor !== null && { cursor }) },
    })
    found.push(...page.data.filter(({ status }) => status !== 'archived'))
    cursor = page.next_cursor
  } while (cursor !== null && found.length < comparedMax)
  return found
}
