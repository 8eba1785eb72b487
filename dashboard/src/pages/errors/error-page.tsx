import type { ErrorDecision, ErrorGroup } from '@assay/contract'
import { useRead, useWrite } from '../../api/reads.ts'
import { FilterBar } from '../../filters/filter-bar.tsx'
import { Button, LinkButton } from '../../kit/button.tsx'
import { Page } from '../../kit/card.tsx'
import { ProblemNote, Shown } from '../../kit/states.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { Cost } from './cost.tsx'
import { Examples } from './examples.tsx'
import { Occurrences } from './occurrences.tsx'
import { Correlation } from './order-value.tsx'
import { useErrorQuery } from './window.ts'

/** One group of errors: how often, what it costs whom, and what the code said. */
export function ErrorPage({ groupId }: { groupId: string }) {
  const way = useWay()
  const error = useRead('getError', { params: { id: groupId }, query: useErrorQuery() })
  return (
    <Page
      title={error.data?.errorGroup ?? text.pages.errors}
      back={{ href: way.to('errors'), title: text.errors.back }}
      acts={error.data !== undefined && <Acts group={error.data} />}
    >
      <FilterBar />
      <Shown of={error} lines={8}>
        {(data) => (
          <>
            <Occurrences error={data} />
            <Cost groupId={data.id} />
            <Correlation groupId={data.id} />
            <Examples error={data} />
          </>
        )}
      </Shown>
    </Page>
  )
}

function Acts({ group }: { group: Pick<ErrorGroup, 'id' | 'state' | 'type' | 'title'> }) {
  const { siteId } = usePlace()
  const way = useWay()
  const mayWrite = useMay('analytics:write')
  const changing = useWrite('updateError', ['getError', 'getRevenueImpact', 'listErrors'])
  if (!mayWrite) return null
  const set = (state: ErrorDecision) =>
    void changing.send({ params: { id: group.id }, body: { siteId, state } })
  const words = text.errors
  const isOpen = group.state === 'open' || group.state === 'regressed'
  return (
    <>
      {isOpen ? (
        <>
          <Button look="primary" onClick={() => set('resolved')}>
            {words.resolve}
          </Button>
          <Button onClick={() => set('muted')}>{words.mute}</Button>
        </>
      ) : (
        <Button onClick={() => set('open')}>{words.reopen}</Button>
      )}
      <LinkButton href={way.to('settings/error-rules', { type: group.type, title: group.title })}>
        {text.errorRules.byRule}
      </LinkButton>
      <ProblemNote error={changing.error} />
    </>
  )
}
