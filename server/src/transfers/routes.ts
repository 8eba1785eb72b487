import {
  applyWorkspaceImport,
  getWorkspaceExport,
  getWorkspaceImport,
  Problem,
  readWorkspaceExport,
  sendWorkspaceImport,
  startWorkspaceExport,
  startWorkspaceImport,
  transferFormat,
} from '@assay/contract'
import { type Plane, serve } from '../http/serve.ts'
import type { Exports } from './export/exports.ts'
import type { Imports } from './import/imports.ts'

type Needs = { exports: Exports; imports: Imports }

export function transferRoutes(plane: Plane, { exports, imports }: Needs): void {
  serve(plane, startWorkspaceExport, async ({ body, caller, notes }) => {
    if (body.format !== transferFormat) {
      throw new Problem('conflict', { detail: `This server writes format ${transferFormat}.` })
    }
    const made = await exports.start(caller.workspaceId)
    notes.objectId = caller.workspaceId
    return made
  })
  serve(plane, getWorkspaceExport, ({ params, caller }) => exports.get(caller.workspaceId, params.id))
  serve(plane, readWorkspaceExport, async ({ params, query, caller }) => {
    const { id, part } = params
    const { text, nextOffset } = await exports.read(caller.workspaceId, id, part, query.offset ?? 0)
    return { text, next_offset: nextOffset }
  })
  serve(plane, startWorkspaceImport, async ({ body, caller, notes }) => {
    const begun = await imports.start(caller.workspaceId, body.manifest)
    notes.objectId = caller.workspaceId
    return begun
  })
  serve(plane, getWorkspaceImport, ({ params, caller }) => imports.get(caller.workspaceId, params.id))
  serve(plane, sendWorkspaceImport, async ({ params, body, caller }) => ({
    bytes: await imports.receive(caller.workspaceId, params.id, params.part, body.offset, body.text),
  }))
  serve(plane, applyWorkspaceImport, async ({ params, caller, notes }) => {
    notes.objectId = caller.workspaceId
    return imports.apply(caller.workspaceId, params.id)
  })
}
