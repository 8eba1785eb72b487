import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The oldest Node from 20 on that the machine has, other than our own. */
export function olderNode(): string | null {
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .map((part) => join(part, 'node'))
    .filter((path) => existsSync(path))
    .map((path) => ({
      path,
      major: Number(/v(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[1]),
    }))
    .filter(({ major }) => major >= 20 && major < 24)
    .toSorted((a, b) => a.major - b.major)
  return found[0]?.path ?? null
}
