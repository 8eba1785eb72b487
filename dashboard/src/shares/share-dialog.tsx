import { shareLimits } from '@assay/contract'
import { useState } from 'react'
import { useRead } from '../api/reads.ts'
import { now } from '../clock.ts'
import { formatAgo } from '../format.ts'
import { Button } from '../kit/button.tsx'
import { Shown } from '../kit/states.tsx'
import { usePlace } from '../shell/place.ts'
import { text } from '../text.ts'
import { CreatedLink, type NewLink } from './created-link.tsx'
import { RevokeShare } from './revoke-share.tsx'
import { ShareForm } from './share-form.tsx'
import { ShareLimits } from './share-limits.tsx'
import type { ShareTarget } from './share-target.ts'
import '../style/boards.css'

/** A new link, and those that exist. */
export default function ShareDialog(target: ShareTarget) {
  const words = text.shares
  const [created, setCreated] = useState<NewLink | null>(null)
  return (
    <div className="stack">
      <p className="soft">{words.lead}</p>
      {created === null ? (
        <ShareForm target={target} onCreated={setCreated} />
      ) : (
        <>
          <CreatedLink link={created} />
          <div>
            <Button onClick={() => setCreated(null)}>{words.another}</Button>
          </div>
        </>
      )}
      <Links {...target} />
    </div>
  )
}

function Links({ type, targetId }: ShareTarget) {
  const { siteId } = usePlace()
  const words = text.shares
  const shares = useRead('listShares', { query: { siteId, limit: shareLimits.sharesMax } })
  return (
    <section className="stack tight" aria-label={words.links}>
      <h2>{words.links}</h2>
      <Shown of={shares} lines={2}>
        {({ data }) => {
          const here = data.filter((share) => share.type === type && share.targetId === targetId)
          if (here.length === 0) return <p className="soft">{words.noneHere}</p>
          return (
            <ul className="share-list">
              {here.map((share) => (
                <li key={share.id} className="row between">
                  <span className="state-line">
                    <ShareLimits share={share} />
                    <span className="soft small">
                      {words.createdAt} {formatAgo(share.createdAt, now())}
                    </span>
                  </span>
                  <RevokeShare share={share} />
                </li>
              ))}
            </ul>
          )
        }}
      </Shown>
    </section>
  )
}
