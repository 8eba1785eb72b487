import { useRead } from '../../api/reads.ts'
import { Page } from '../../kit/card.tsx'
import { NoPermission, Shown } from '../../kit/states.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay } from '../../shell/session.ts'
import { eventText } from '../../text/events.ts'
import { gateText } from '../../text/gate.ts'
import { text } from '../../text.ts'
import { emptyDraft, proposedDraft } from './draft.ts'
import { Editor } from './editor.tsx'

/** A contract for an event that has none; `key` in the address says for which, and what came of it fills it in. */
export function NewContract() {
  const { parameters } = usePlace()
  const mayWrite = useMay('registry:write')
  const key = parameters.get('key') ?? ''
  const way = useWay()
  return (
    <Page
      title={eventText.registry.create}
      lead={eventText.registry.createLead}
      back={{ href: way.to('registry'), title: text.pages.registry }}
    >
      {!mayWrite ? (
        <NoPermission />
      ) : key === '' ? (
        <Editor initial={emptyDraft('')} isNew />
      ) : (
        <Proposed eventKey={key} />
      )}
    </Page>
  )
}

/** A quarantined event waits for 30 days, so what it looked like is looked for as long. */
const lookBackDays = 30

function Proposed({ eventKey }: { eventKey: string }) {
  const { siteId } = usePlace()
  const proposals = useRead('listProposals', {
    query: { site_id: siteId, key: eventKey, days: lookBackDays, limit: 1 },
  })
  return (
    <Shown of={proposals}>
      {({ data: [proposal] }) => (
        <>
          {proposal !== undefined && <p className="soft">{gateText.proposals.madeFrom(proposal.sampled)}</p>}
          <Editor
            key={proposal?.key ?? eventKey}
            initial={proposal === undefined ? emptyDraft(eventKey) : proposedDraft(proposal)}
            isNew
          />
        </>
      )}
    </Shown>
  )
}
