import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'

/** A name of this node that survives restarts: its log segments and its staging table contain it. */
export function readNodeId(dataDir: string): string {
  const file = `${dataDir}/node-id`
  try {
    return readFileSync(file, { encoding: 'utf8' }).trim()
  } catch {
    const nodeId = randomBytes(4).toString('hex')
    writeFileSync(file, `${nodeId}\n`)
    return nodeId
  }
}
