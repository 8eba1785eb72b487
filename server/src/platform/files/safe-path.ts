import { join, resolve, sep } from 'node:path'

/** Ids and names of tables and files that this product makes. No separator, and no dot at the start. */
const fileName = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$/

/**
 * The only way to build a path with a name that is not a constant: anything but a plain file name is refused,
 * so that no row, request or archive leads out of the directory.
 */
export function pathWithin(directory: string, ...names: readonly string[]): string {
  for (const name of names) {
    if (!fileName.test(name))
      throw new Error(`${JSON.stringify(name.slice(0, 80))} is no name of a file here`)
  }
  const path = join(directory, ...names)
  if (!resolve(path).startsWith(resolve(directory) + sep)) {
    throw new Error(`${JSON.stringify(path)} is outside its directory`)
  }
  return path
}
