import { resolve } from 'node:path'
import {
  applyWorkspaceImport,
  type Client,
  getWorkspaceImport,
  sendWorkspaceImport,
  startWorkspaceImport,
  type TransferManifest,
  type WorkspaceImport,
} from '@assay/contract'
import { type Command, type Context, type Outcome, serverOptions } from '../command.ts'
import { CommandFailure, exitCodes, misuse } from '../failure.ts'
import { findProject } from '../project/project.ts'
import { connect } from '../server/connection.ts'
import { partFile, readManifest, readPieces, requireIntact } from '../transfer/files.ts'

export const importCommand: Command = {
  name: 'import',
  summary: 'load an export into an empty workspace, all or nothing; every read then answers as before',
  usage: 'assay import <directory> [--without-keys] [--server <url>] [--key <key>]',
  options: {
    ...serverOptions,
    'without-keys': { type: 'boolean', help: 'leave out public keys; create new ones afterwards' },
  },
  examples: ['assay import shop-2026-03 --server https://assay.example --key svc_sk_live_…'],
  run: importWorkspace,
}

const pollMs = 500

async function importWorkspace(context: Context): Promise<Outcome> {
  const [named] = context.positionals
  if (named === undefined) throw misuse('From where?', 'assay import <directory>')
  const directory = resolve(context.world.directory, named)
  const whole = readManifest(directory)
  await requireIntact(directory, whole)
  const isWithoutKeys = context.options.flag('without-keys')
  const manifest = isWithoutKeys ? without(whole, keysPart) : whole
  const keys = manifest.parts.find(({ name }) => name === keysPart)?.rows ?? 0
  const { client, server } = connect(context, findProject(context.world.directory))
  const begun = await client.call(startWorkspaceImport, { body: { manifest } })
  // When called again while the server applies the import, there is only the end to wait for.
  if (begun.status === 'receiving') {
    await handOver(context, client, begun, manifest, directory)
    await client.call(applyWorkspaceImport, { params: { id: begun.id }, body: {} })
  }
  const done = await untilDone(context, client, begun.id)
  return {
    exitCode: exitCodes.fine,
    data: { server, import: done },
    lines: [
      `${done.rows} rows of ${manifest.workspace_name} are in place at ${server}.`,
      ...(keys === 0 ? [] : [`${keys} public keys work there now: pages only need the new address.`]),
      'Next: invite members, create secret keys, and set new secrets for webhooks and destinations.',
    ],
  }
}

/** Public keys are the only keys in an export. */
const keysPart = 'api_keys'

function without(manifest: TransferManifest, part: string): TransferManifest {
  return { ...manifest, parts: manifest.parts.filter(({ name }) => name !== part) }
}

async function handOver(
  { progress }: Context,
  client: Client,
  { id, received }: WorkspaceImport,
  manifest: TransferManifest,
  directory: string,
): Promise<void> {
  for (const { name, bytes } of manifest.parts) {
    const from = received.find((part) => part.name === name)?.bytes ?? 0
    for (const { offset, text } of readPieces(partFile(directory, name), from)) {
      await client.call(sendWorkspaceImport, { params: { id, part: name }, body: { offset, text } })
      progress(`${name}: ${Math.floor((100 * (offset + Buffer.byteLength(text))) / bytes)}%`)
    }
  }
}

async function untilDone(context: Context, client: Client, id: string): Promise<WorkspaceImport> {
  for (;;) {
    const found = await client.call(getWorkspaceImport, { params: { id } })
    if (found.status === 'done') return found
    if (found.status === 'failed') {
      const hint = 'Nothing was imported. Run the same command to start again.'
      throw new CommandFailure(exitCodes.server, found.error ?? 'The import failed.', hint)
    }
    context.progress(`${found.rows_done} of ${found.rows} rows are in place.`)
    await context.world.wait(pollMs)
  }
}
