import { join, resolve, sep } from 'node:path'
import { CommandFailure, exitCodes } from '../failure.ts'

const fileName = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$/
/** Longer than any path that code is generated at. */
const depthMax = 20

/**
 * The path of a file named by a server or an archive. Neither is trusted: a name that leads out of the
 * directory ends the command.
 */
export function pathWithin(directory: string, name: string): string {
  const parts = name.split('/')
  const isPlain = parts.length <= depthMax && parts.every((part) => fileName.test(part))
  const path = join(directory, name)
  if (isPlain && resolve(path).startsWith(resolve(directory) + sep)) return path
  const said = `${JSON.stringify(name.slice(0, 80))} is not a safe file name, and nothing was written.`
  throw new CommandFailure(exitCodes.found, said, 'Do not trust its source.')
}
