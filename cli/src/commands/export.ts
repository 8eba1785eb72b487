import { resolve } from 'node:path'
import {
  ApiProblem,
  type Client,
  getWorkspaceExport,
  readWorkspaceExport,
  startWorkspaceExport,
  type TransferManifest,
  transferFormat,
  type WorkspaceExport,
} from '@assay/contract'
import { type Command, type Context, type Outcome, serverOptions } from '../command.ts'
import { CommandFailure, exitCodes, misuse } from '../failure.ts'
import { findProject } from '../project/project.ts'
import { type Connection, connect } from '../server/connection.ts'
import {
  appendPiece,
  cutToLines,
  noteUnfinished,
  openTarget,
  partFile,
  requireIntact,
  requireManifest,
  type Unfinished,
  writeManifest,
} from '../transfer/files.ts'

export const exportCommand: Command = {
  name: 'export',
  summary: 'export a consistent copy of a workspace to files, while the server runs',
  usage: 'assay export <directory> [--server <url>] [--key <key>]',
  options: serverOptions,
  examples: ['assay export shop-2026-03', 'assay export shop-2026-03   # again: resumes where it stopped'],
  run: exportWorkspace,
}

const pollMs = 500

async function exportWorkspace(context: Context): Promise<Outcome> {
  const [named] = context.positionals
  if (named === undefined) throw misuse('Where to?', 'assay export <directory>')
  const directory = resolve(context.world.directory, named)
  const connection = connect(context, findProject(context.world.directory))
  const manifest = await finishedExport(context, connection, openTarget(directory), directory)
  for (const { name, bytes } of manifest.parts) {
    if (bytes > 0) await download(context, connection.client, manifest.id, name, bytes, directory)
    else appendPiece(partFile(directory, name), '')
  }
  const { id: _, ...written } = manifest
  await requireIntact(directory, written)
  writeManifest(directory, written)
  const rows = written.parts.reduce((sum, part) => sum + part.rows, 0)
  return {
    exitCode: exitCodes.fine,
    data: { directory, manifest: written },
    lines: [
      `${rows} rows of ${written.workspace_name} as of ${written.exported_at} are in ${directory}.`,
      'They contain personal data: protect them as you protect the server. API keys, members and secrets are not in them.',
    ],
  }
}

/** Resumes the export begun for this directory if the server still has it; otherwise starts a new one. */
async function finishedExport(
  context: Context,
  { client, server }: Connection,
  unfinished: Unfinished | null,
  directory: string,
): Promise<TransferManifest & { id: string }> {
  const known = unfinished?.server === server ? await stillThere(client, unfinished.id) : null
  let job = known ?? (await client.call(startWorkspaceExport, { body: { format: transferFormat } }))
  if (known === null) noteUnfinished(directory, { server, id: job.id })
  while (job.status === 'running') {
    context.progress(`The server has written ${job.rows_done} rows.`)
    await context.world.wait(pollMs)
    job = await client.call(getWorkspaceExport, { params: { id: job.id } })
  }
  if (job.manifest === null) throw new CommandFailure(exitCodes.server, job.error ?? 'The export failed.')
  return { ...requireManifest(job.manifest), id: job.id }
}

async function stillThere(client: Client, id: string): Promise<WorkspaceExport | null> {
  try {
    const job = await client.call(getWorkspaceExport, { params: { id } })
    return job.status === 'failed' ? null : job
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return null
    throw error
  }
}

async function download(
  context: Context,
  client: Client,
  id: string,
  part: string,
  bytes: number,
  directory: string,
): Promise<void> {
  const path = partFile(directory, part)
  for (let offset = cutToLines(path); offset < bytes; ) {
    const piece = await client.call(readWorkspaceExport, { params: { id, part }, query: { offset } })
    const end = offset + Buffer.byteLength(piece.text)
    // Without this check a faulty server could repeat pieces until the disk is full.
    if (end > bytes || end <= offset || (piece.next_offset ?? bytes) !== end) {
      throw new CommandFailure(exitCodes.server, `The pieces of ${part} are out of order.`)
    }
    appendPiece(path, piece.text)
    offset = end
    context.progress(`${part}: ${Math.floor((100 * offset) / bytes)}%`)
  }
}
