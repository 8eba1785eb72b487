import { Readable } from 'node:stream'
import {
  cancelSubjectRequest,
  downloadExport,
  getSubjectRequest,
  listPrivacyKeys,
  listSubjectRequests,
  Problem,
  requestExport,
  requestForget,
} from '@assay/contract'
import { actorIdOf } from '../http/access/principal.ts'
import { type Plane, serve } from '../http/serve.ts'
import { isId } from '../platform/clock.ts'
import type { Platform } from '../platform/platform.ts'
import { streamFile } from '../store/files/stored-files.ts'
import type { Privacy } from './privacy.ts'
import { archivePath } from './requests/person-export.ts'
import { makeRequest, readRequests, requireRequest, toRequest, withdrawRequest } from './requests/requests.ts'
import { webhookKeyOf } from './requests/signature.ts'

type Needs = Pick<Platform, 'now'> & { privacy: Privacy }

export function privacyRoutes(plane: Plane, { privacy, now }: Needs): void {
  const { requests, key, files } = privacy

  serve(plane, requestExport, async ({ body, caller }) => {
    const made = await makeRequest(requests, 'export', caller.workspaceId, actorIdOf(caller), body)
    return toRequest(requests, made)
  })

  serve(plane, requestForget, async ({ body, caller }) => {
    const made = await makeRequest(requests, 'forget', caller.workspaceId, actorIdOf(caller), body)
    return toRequest(requests, made)
  })

  serve(plane, getSubjectRequest, async ({ params, caller }) =>
    toRequest(requests, await requireRequest(requests.control, caller.workspaceId, params.id)),
  )

  serve(plane, listSubjectRequests, ({ query, caller }) => readRequests(requests, caller.workspaceId, query))

  serve(plane, cancelSubjectRequest, async ({ params, caller }) =>
    toRequest(requests, await withdrawRequest(requests, caller.workspaceId, params.id)),
  )

  const published = { kty: 'OKP', crv: 'Ed25519', kid: key.id, x: key.x, use: 'sig' } as const
  serve(plane, listPrivacyKeys, () => ({ keys: [{ ...published, webhook_key: webhookKeyOf(key) }] }))

  serve(plane, downloadExport, async ({ params, query, reply }) => {
    const isValid = requests.links.isValid(params.id, query.expires, query.signature)
    const isOpen = isValid && isId('dsr', params.id) && query.expires > now()
    const path = isOpen ? archivePath(params.id) : null
    const size = path === null ? null : await files.size(path)
    if (path === null || size === null) {
      throw new Problem('not-found', {
        detail: 'This link is invalid or has expired. Request a new export.',
      })
    }
    return reply
      .header('content-type', 'application/zip')
      .header('content-length', size)
      .header('content-disposition', `attachment; filename="${params.id}.zip"`)
      .header('cache-control', 'no-store')
      .send(Readable.from(streamFile(files, path)))
  })
}
