import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, generateCode } from '@assay/contract'
import { eventText, type WrittenContract } from '../project/event-file.ts'
import { eventFileSchema } from '../project/event-schema.ts'
import { toJson, writeText } from '../project/json-file.ts'
import { type Project, placesOf } from '../project/project.ts'
import { pathWithin } from '../transfer/safe-path.ts'

/** Returns its path from the root of the project. */
export function writeEvent({ root, config }: Project, contract: WrittenContract): string {
  const shownAs = `${config.events}/${contract.key}.json`
  writeText(
    pathWithin(join(root, config.events), `${contract.key}.json`),
    eventText(contract, placesOf(config).fromEvents),
  )
  return shownAs
}

export function deleteEvent({ root, config }: Project, key: string): string {
  const shownAs = `${config.events}/${key}.json`
  rmSync(pathWithin(join(root, config.events), `${key}.json`), { force: true })
  return shownAs
}

export function writeSchema({ root, config }: Project): boolean {
  return writeText(join(root, placesOf(config).schema), toJson(eventFileSchema))
}

/**
 * Writes typed functions for the live contracts in each language of the project. Returns what was written.
 */
export async function writeCode(client: Client, { root, config }: Project): Promise<string[]> {
  const written: string[] = []
  for (const { language, folder } of config.code) {
    const environment = config.environment ?? 'production'
    const { files } = await client.call(generateCode, { query: { language, environment } })
    for (const { path, content } of files) {
      if (writeText(pathWithin(join(root, folder), path), content)) written.push(`${folder}/${path}`)
    }
  }
  return written
}
