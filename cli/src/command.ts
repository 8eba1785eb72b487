import { parseArgs } from 'node:util'
import { type ExitCode, misuse } from './failure.ts'
import type { Paint } from './paint.ts'
import type { World } from './world.ts'

type OptionSpec = {
  type: 'string' | 'boolean'
  help: string
  /** Placeholder for the value in the help. */
  value?: string
  multiple?: boolean
}

type Options = {
  flag: (name: string) => boolean
  text: (name: string) => string | undefined
  list: (name: string) => readonly string[]
  /** One of a fixed set of values. */
  choice: <const Choices extends readonly string[]>(
    name: string,
    choices: Choices,
  ) => Choices[number] | undefined
}

export type Context = {
  world: World
  options: Options
  positionals: readonly string[]
  isJson: boolean
  paint: Paint
  /** Prints a line while the command runs; silent with --json. */
  say: (line: string) => void
  /** Progress of a long operation; shown on an interactive terminal only. */
  progress: (text: string) => void
}

/** Result of a command: lines for people, or the same as data. */
export type Outcome = { exitCode: ExitCode; data: object; lines?: readonly string[] }

export type Command = {
  name: string
  summary: string
  usage: string
  options: Readonly<Record<string, OptionSpec>>
  examples: readonly string[]
  run: (context: Context) => Promise<Outcome>
}

export const commonOptions: Readonly<Record<string, OptionSpec>> = {
  json: { type: 'boolean', help: 'print JSON, and never ask' },
  directory: { type: 'string', value: 'path', help: 'run in this directory' },
  help: { type: 'boolean', help: 'show what the command does' },
}

/** For commands that call a server. */
export const serverOptions: Readonly<Record<string, OptionSpec>> = {
  server: { type: 'string', value: 'url', help: 'address of the control plane (else assay.json, ASSAY_URL)' },
  key: { type: 'string', value: 'key', help: 'API key (else ASSAY_KEY, or the saved one)' },
}

export function parseOptions(
  command: Pick<Command, 'name' | 'options'>,
  args: readonly string[],
): { options: Options; positionals: readonly string[] } {
  const specs = { ...commonOptions, ...command.options }
  const config = Object.fromEntries(
    Object.entries(specs).map(([name, { type, multiple = false }]) => [name, { type, multiple }]),
  )
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: config, allowPositionals: true })
    return { options: readerOf(values), positionals }
  } catch (error) {
    const said = error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error)
    throw misuse(`${said}.`, `assay ${command.name} --help lists its options.`)
  }
}

function readerOf(values: Readonly<Record<string, unknown>>): Options {
  const text = (name: string) => {
    const value = values[name]
    return typeof value === 'string' ? value : undefined
  }
  return {
    text,
    flag: (name) => values[name] === true,
    list: (name) => {
      const value = values[name]
      return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
    },
    choice: (name, choices) => {
      const value = text(name)
      if (value === undefined) return undefined
      const chosen = choices.find((choice) => choice === value)
      if (chosen !== undefined) return chosen
      throw misuse(`--${name} ${value} is not known.`, `Use one of: ${choices.join(', ')}.`)
    },
  }
}

export function helpOf({ name, summary, usage, options, examples }: Command): string {
  const all = Object.entries({ ...options, ...commonOptions })
  const rows = all.map(([option, { value, help }]): [string, string] => [
    value === undefined ? `--${option}` : `--${option} <${value}>`,
    help,
  ])
  const width = Math.max(...rows.map(([left]) => left.length))
  return [
    `assay ${name}: ${summary}`,
    '',
    `  ${usage}`,
    '',
    ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`),
    '',
    ...examples.map((example) => `  $ ${example}`),
    '',
  ].join('\n')
}
