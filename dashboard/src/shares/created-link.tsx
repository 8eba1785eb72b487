import type { Output } from '@assay/contract'
import type { RouteOf } from '../api/routes.ts'
import { Code } from '../kit/code.tsx'
import { text } from '../text.ts'

export type NewLink = Output<RouteOf<'createShare'>>

/** The secret, once. */
export function CreatedLink({ link: { url, origins } }: { link: NewLink }) {
  const words = text.shares
  return (
    <div className="stack tight" role="status">
      <p className="note accept">{words.created}</p>
      <strong>{words.url}</strong>
      <Code label={words.url}>{url}</Code>
      {origins.length > 0 && (
        <>
          <strong>{words.snippet}</strong>
          <Code label={words.snippet}>{snippetOf(url)}</Code>
        </>
      )}
    </div>
  )
}

/** The appearance is part of the link. */
const snippetOf = (url: string) =>
  `<iframe src="${url}" title="${text.product}" width="100%" height="720" style="border:0" loading="lazy"></iframe>`
