import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Client,
  codeLanguages,
  keyKinds,
  listSites,
  readKeyKind,
  type Site,
  surfaces,
} from '@assay/contract'
import { type Command, type Context, type Outcome, serverOptions } from '../command.ts'
import { exitCodes, misuse } from '../failure.ts'
import { eventText } from '../project/event-file.ts'
import { toJson, writeText } from '../project/json-file.ts'
import { configName, eventsFolder, type Project, type ProjectConfig, placesOf } from '../project/project.ts'
import { clientFor, keyOf, requireWellFormed, serverOf } from '../server/connection.ts'
import { saveKey } from '../server/credentials.ts'
import { detectKind, type ProjectKind } from '../setup/project-kind.ts'
import { askForKey } from '../setup/sign-in.ts'
import { addSnippet, hasSnippet, publicKeyFor, snippetFor } from '../setup/snippet.ts'
import { pullCommand } from './pull.ts'

export const initCommand: Command = {
  name: 'init',
  summary: 'set up a project: sign in, write assay.json, pull the event files',
  usage: 'assay init [--server <url>] [--key <key>] [--snippet <page>]',
  options: {
    ...serverOptions,
    site: { type: 'string', value: 'id', help: 'the site of this project (else the first of the workspace)' },
    language: {
      type: 'string',
      multiple: true,
      value: 'typescript|python|swift',
      help: 'language of the generated code (else detected); may be repeated',
    },
    snippet: {
      type: 'string',
      value: 'page',
      help: 'put the script tag of the browser SDK into this HTML page',
    },
    'public-key': { type: 'string', value: 'key', help: 'the key for the script tag (else a new one)' },
    force: { type: 'boolean', help: 'overwrite an existing assay.json' },
  },
  examples: [
    'assay init',
    'assay init --server https://assay.example --key sk_live_…',
    'assay init --snippet index.html',
  ],
  run: init,
}

async function init(context: Context): Promise<Outcome> {
  const { world, options, say } = context
  const root = world.directory
  const server = serverOf(context, null)
  if (existsSync(join(root, configName)) && !options.flag('force')) {
    throw misuse(`There is an ${configName} here already.`, 'Use --force to overwrite it.')
  }
  const key = requireSecret(keyOf(context, server) ?? (await askForKey(context, server)))
  const client = clientFor(context, server, key)
  const site = await chooseSite(client, options.text('site'))
  const kind = detectKind(root)
  const config = configFor(context, server, site, kind)
  const project: Project = { root, config }
  writeText(join(root, configName), toJson(config))
  say(`${configName} written${kind.framework === null ? '' : ` for a project with ${kind.framework}`}.`)
  const credentials = saveKey(world, server, key)
  say(`The key is in ${credentials}, which only you can read.`)
  const pulled = await pullCommand.run(context)
  for (const line of pulled.lines ?? []) say(line)
  const example = writeExample(project)
  const snippet = await placeSnippet(context, client, server, site)
  return {
    exitCode: exitCodes.fine,
    data: { config, framework: kind.framework, pulled: pulled.data, example, snippet },
    lines: nextSteps(config, example),
  }
}

function requireSecret(key: string): string {
  if (readKeyKind(requireWellFormed(key)) !== 'public') return key
  throw misuse(
    'A public key only sends events, so it cannot read contracts.',
    `Use a key that begins with ${keyKinds.secret.prefix} or ${keyKinds.live.prefix}.`,
  )
}

async function chooseSite(client: Client, wanted: string | undefined): Promise<Site | null> {
  const { data } = await client.call(listSites, { query: { limit: 200 } })
  if (wanted === undefined) return data[0] ?? null
  const found = data.find(({ id, domain }) => id === wanted || domain === wanted)
  if (found !== undefined) return found
  const known = data.map(({ id, domain }) => `${id} (${domain})`).join(', ')
  throw misuse(`There is no site ${wanted}.`, `There are: ${known || 'none'}.`)
}

function configFor(
  { options }: Context,
  server: string,
  site: Site | null,
  kind: ProjectKind,
): ProjectConfig {
  const wanted = options.list('language').map((name) => {
    const language = codeLanguages.find((each) => each === name)
    if (language === undefined)
      throw misuse(`--language ${name} is not known.`, `Use: ${codeLanguages.join(', ')}.`)
    return kind.code.find((each) => each.language === language) ?? { language, folder: 'assay/code' }
  })
  const code = wanted.length > 0 ? wanted : kind.code
  return { server, ...(site !== null && { site: site.id }), events: eventsFolder, code }
}

/** Shows newcomers what an event file looks like. It is a draft, so pushing it has no effect on the gate. */
function writeExample({ root, config }: Project): string | null {
  const registry = join(root, placesOf(config).registry)
  const folder = join(root, config.events)
  if (!existsSync(registry) || existsSync(folder)) return null
  const path = `${config.events}/plan_chosen.json`
  const text = eventText(
    {
      key: 'plan_chosen',
      name: 'plan_chosen',
      version: '',
      status: 'draft',
      description: 'Someone chose a plan on the pricing page. An example: change it, or delete this file.',
      owner: 'growth',
      properties: {
        plan: { type: 'string', required: true, enum: ['free', 'team'], description: 'Which plan' },
        seats: { type: 'number', minimum: 1 },
      },
      additional: 'warn',
      surfaces,
      purpose: 'analytics_storage',
    },
    placesOf(config).fromEvents,
  )
  writeText(join(root, path), text.replace(/^ {2}"version": "",\n/m, ''))
  return path
}

async function placeSnippet(
  { world, options, say }: Context,
  client: Client,
  server: string,
  site: Site | null,
): Promise<string | null> {
  const page = options.text('snippet')
  if (page === undefined) return null
  if (site === null)
    throw misuse('A script tag needs a site, and the workspace has none.', 'Create a site first.')
  if (hasSnippet(world.directory, page)) {
    say(`${page} has the browser SDK already.`)
    return null
  }
  const snippet = snippetFor(server, await publicKeyFor(client, site.id, options.text('public-key')))
  addSnippet(world.directory, page, snippet)
  say(`The browser SDK is in ${page}.`)
  return snippet
}

function nextSteps({ events }: ProjectConfig, example: string | null): string[] {
  return [
    '',
    example === null ? `Change an event in ${events}/, then:` : `Look at ${example}, then:`,
    '  npx @assay/cli validate          # is it sound?',
    '  npx @assay/cli push --dry-run    # what would change?',
    '  npx @assay/cli push',
  ]
}
