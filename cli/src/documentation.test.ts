import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commonOptions } from './command.ts'
import { commands } from './run.ts'

const root = join(import.meta.dirname, '..', '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const pages = globSync(['README.md', 'SECURITY.md', '{docs,deploy,examples}/**/*.md', 'cli/README.md'], {
  cwd: root,
  exclude: ['**/node_modules/**'],
})

/** `run` answers these itself. */
const builtIn = ['help', 'version']

const optionsOf = (name: string) => {
  if (builtIn.includes(name)) return []
  const command = commands.find((each) => each.name === name)
  return command === undefined ? null : [...Object.keys(command.options), ...Object.keys(commonOptions)]
}

type Call = { where: string; command: string; flags: string[] }

/** Calls of the command in code: between backticks, or a line of a block. */
function callsIn(page: string): Call[] {
  const text = read(page)
  const blocks = [...text.matchAll(/```[^\n]*\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
    block.replaceAll('\\\n', ' ').split('\n'),
  )
  const inline = [...text.replace(/```[\s\S]*?```/g, '').matchAll(/`([^`\n]+)`/g)].map(
    ([, code = '']) => code,
  )
  return [...blocks, ...inline].flatMap((code) =>
    // A line may hold several commands, and a call may be behind a pipe.
    code.split(/&&|\||;/).flatMap((part) => {
      const call = /(?:^|\s)(?:npx (?:--yes )?@assay\/cli|(?:npx )?assay) ([a-z][a-z-]*)(?=\s|$)(.*)/.exec(
        part,
      )
      if (call === null || /^\s*#/.test(part)) return []
      const [, command = '', rest = ''] = call
      const unquoted = (rest.split(/\s#\s/)[0] ?? '').replace(/'[^']*'|"[^"]*"/g, '')
      const flags = [...unquoted.matchAll(/(?:^|[\s[])--([a-z][a-z-]*)/g)].flatMap(([, flag]) => flag ?? [])
      return [{ where: `${page}: ${part.trim()}`, command, flags }]
    }),
  )
}

const calls = pages.flatMap(callsIn)

describe('documented calls of the command', () => {
  test('name commands and options that there are', () => {
    expect(calls.length).toBeGreaterThan(50)
    const wrong = calls.filter(({ command, flags }) => {
      const known = optionsOf(command)
      return known === null || flags.some((flag) => !known.includes(flag))
    })
    expect(wrong.map(({ where }) => where)).toEqual([])
  })

  test('and so does every example of the help', () => {
    for (const { name, usage, examples } of commands) {
      const known = optionsOf(name) ?? []
      for (const text of [usage, ...examples]) {
        const flags = [...text.matchAll(/--([a-z][a-z-]*)/g)].flatMap(([, flag]) => flag ?? [])
        expect(
          flags.filter((flag) => !known.includes(flag)),
          text,
        ).toEqual([])
      }
    }
  })

  test('every option that the page of the command names is one', () => {
    const all = new Set([
      ...commands.flatMap(({ options }) => Object.keys(options)),
      ...Object.keys(commonOptions),
    ])
    const ofNpm = ['save-dev', 'yes']
    const named = [...read('docs/cli.md').matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].flatMap(
      ([, flag]) => flag ?? [],
    )
    expect(named.filter((flag) => !all.has(flag) && !ofNpm.includes(flag))).toEqual([])
  })
})

test('the page of the command lists every command with exactly its options', () => {
  const rows = [...read('docs/cli.md').matchAll(/^\| `assay ([a-z-]+)` \| (.*) \|$/gm)]
  const listed = rows.map(([, name = '', options = '']) => [
    name,
    [...options.matchAll(/`--([a-z-]+)/g)].map(([, flag]) => flag),
  ])
  const there = commands.map(({ name, options }) => [name, Object.keys(options)])
  expect(listed).toEqual(there)
  const common = /^Every command also takes (.*)$/m.exec(read('docs/cli.md'))?.[1] ?? ''
  expect([...common.matchAll(/`--([a-z-]+)/g)].map(([, flag]) => flag)).toEqual(Object.keys(commonOptions))
})
