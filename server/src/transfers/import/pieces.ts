import { Problem } from '@assay/contract'
import { requireFreeSpace } from '../../platform/files/free-space.ts'
import { measurePart, type PartFolder, partPath } from '../files.ts'
import { folderOf, type ImportWorld, stateWords } from './import-state.ts'
import type { ImportRow } from './import-store.ts'

export async function receivePiece(
  world: ImportWorld,
  row: ImportRow,
  name: string,
  offset: number,
  text: string,
): Promise<number> {
  const part = row.manifest.parts.find((one) => one.name === name)
  if (part === undefined) throw new Problem('not-found', { detail: 'There is no such part in this import.' })
  if (row.status !== 'receiving') throw new Problem('conflict', { detail: stateWords[row.status] })
  const { files, workspaceId, ...at } = folderOf(world, row)
  const path = partPath(at, name)
  const bytes = (await files.size(path)) ?? 0
  const piece = Buffer.from(text)
  if (offset > bytes) throw new Problem('conflict', { detail: `The next piece begins at ${bytes}.` })
  if (offset + piece.length > part.bytes)
    throw new Problem('conflict', { detail: `The part has ${part.bytes} bytes.` })
  if (!files.isShared) await requireFreeSpace(world.dataDir, piece.length)
  await files.write(path, offset, piece, { workspaceId, isDurable: true })
  return offset + piece.length
}

export async function requireComplete({ manifest }: ImportRow, at: PartFolder): Promise<void> {
  for (const promised of manifest.parts) {
    const found = await measurePart(at, promised.name)
    if (found.sha256 === promised.sha256 && found.rows === promised.rows) continue
    const isWhole = found.bytes === promised.bytes
    const reason = isWhole
      ? 'is not what the manifest promises'
      : `has ${found.bytes} of ${promised.bytes} bytes`
    // Nothing can be appended to it: it is uploaded again.
    if (isWhole) await at.files.remove(partPath(at, promised.name))
    throw new Problem('conflict', { detail: `The part ${promised.name} ${reason}.` })
  }
}
