import type { DeadLetter } from '@assay/contract'
import { useState } from 'react'
import { useList, useWrite } from '../../api/reads.ts'
import { codeWords } from '../../code-words.ts'
import { formatTime } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Card, Page } from '../../kit/card.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { ListTable } from '../../kit/table.tsx'
import { usePlace } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { DeadLetterCard } from './dead-letter-card.tsx'
import { letterReads } from './letter-reads.ts'

/** Acknowledged events that a store refused: what they say, why, and what is to become of them. */
export default function DeadLettersPage() {
  const { siteId } = usePlace()
  const mayWrite = useMay('registry:write')
  const letters = useList('listDeadLetters', (cursor) => ({
    query: { site_id: siteId, state: 'waiting', limit: 20, ...(cursor !== undefined && { cursor }) },
  }))
  const [chosen, setChosen] = useState<string | null>(null)
  const first = letters.data?.[0]
  const shown = chosen ?? first?.id ?? null
  const words = text.deadLetters
  return (
    <Page
      title={text.pages.deadLetters}
      lead={words.lead}
      acts={mayWrite && first !== undefined ? <LoadAll siteId={siteId} /> : undefined}
    >
      <div className={shown === null ? undefined : 'aside'}>
        <Card title={words.waiting}>
          <ListTable
            of={letters}
            caption={words.waiting}
            keyOf={({ id }) => id}
            empty={{ title: words.empty, detail: words.emptyDetail }}
            columns={useColumns(setChosen)}
          />
        </Card>
        {shown !== null && <DeadLetterCard key={shown} id={shown} onDecided={() => setChosen(null)} />}
      </div>
    </Page>
  )
}

function useColumns(onChoose: (id: string) => void) {
  const { site } = useSession()
  const words = text.deadLetters
  return [
    {
      title: words.event,
      cell: ({ id, name, event_id }: DeadLetter) => (
        <button type="button" className="plain mono id" onClick={() => onChoose(id)}>
          {name ?? event_id ?? words.unreadable}
        </button>
      ),
    },
    { title: words.step, cell: ({ step }: DeadLetter) => codeWords('steps', step) },
    { title: words.failed, cell: ({ failed_at }: DeadLetter) => formatTime(failed_at, site.timezone) },
  ]
}

function LoadAll({ siteId }: { siteId: string }) {
  const loading = useWrite('loadDeadLetters', letterReads)
  const say = useNotice()
  const load = async () => {
    const done = await loading.send({ body: { filter: { site_id: siteId } } })
    if (done !== null) say(text.deadLetters.loadedAll(done.loaded))
  }
  return (
    <>
      <Button disabled={loading.isSending} onClick={() => void load()}>
        {text.deadLetters.loadAll}
      </Button>
      <ProblemNote error={loading.error} />
    </>
  )
}
