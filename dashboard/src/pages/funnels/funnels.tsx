import type { DiscoveredFunnel } from '@assay/contract'
import { useState } from 'react'
import { useRead, useWrite } from '../../api/reads.ts'
import { FilterBar } from '../../filters/filter-bar.tsx'
import { formatCount, formatDay, formatShare } from '../../format.ts'
import { Button, LinkButton } from '../../kit/button.tsx'
import { Badge, Card, Page } from '../../kit/card.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Check, TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { Empty, ProblemNote, Shown } from '../../kit/states.tsx'
import type { PageProps } from '../../shell/page-props.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { funnelsAsked } from '../main-reads.ts'
import { OwnFunnel, writeSteps } from './own-funnel.tsx'
import { StepBars } from './step-bars.tsx'

/** Ways that visitors take, found in the visits themselves; and funnels of one's own. */
export default function FunnelsPage({ rest }: PageProps) {
  return rest === 'own' ? <OwnFunnel /> : <Discovered />
}

function Discovered() {
  const asked = funnelsAsked(usePlace())
  const way = useWay()
  const funnels = useRead('listFunnels', asked)
  const words = text.funnels
  return (
    <Page
      title={text.pages.funnels}
      lead={words.lead}
      acts={
        <LinkButton look="primary" href={way.to('funnels/own')}>
          {words.own}
        </LinkButton>
      }
    >
      <FilterBar>
        <Check
          label={words.showMuted}
          isOn={asked.query.includeMuted}
          onChange={(isOn) => way.go(way.here({ muted: isOn ? 'true' : null }))}
        />
      </FilterBar>
      <Shown
        of={funnels}
        lines={8}
        empty={(data) =>
          data.funnels.length === 0 ? (
            <Card>
              <Empty title={words.empty}>{words.emptyDetail(data.supportMin)}</Empty>
            </Card>
          ) : null
        }
      >
        {(data) => (
          <div className="stack">
            {data.funnels.map((funnel) => (
              <FunnelCard key={funnel.id} funnel={funnel} />
            ))}
            <p className="soft small">{words.lookedAt(formatCount(data.sessions))}</p>
          </div>
        )}
      </Shown>
    </Page>
  )
}

function FunnelCard({ funnel }: { funnel: DiscoveredFunnel }) {
  const { site } = useSession()
  const way = useWay()
  const words = text.funnels
  const [low = 0, high = 0] = funnel.ci90
  const before = funnel.previous.conversionRate
  const steps = funnel.steps.map(({ match }) => match)
  return (
    <Card title={funnel.name} act={<Acts funnel={funnel} />}>
      <div className="row">
        <Badge>{words.kinds[funnel.kind]}</Badge>
        {funnel.status !== 'discovered' && <Badge kind="accept">{words.statuses[funnel.status]}</Badge>}
        <strong>{formatShare(funnel.conversionRate)}</strong>
        <span className="soft">
          {words.between(formatShare(low), formatShare(high))}
          {before !== null && `, ${words.before(formatShare(before))}`}
        </span>
      </div>
      <StepBars steps={funnel.steps} />
      <p className="soft small">
        {funnel.why} {words.since(formatDay(funnel.firstSeen, site.timezone))}
      </p>
      <div>
        <LinkButton isCompact href={way.to('funnels/own', { steps: writeSteps(steps), name: funnel.name })}>
          {words.lookCloser}
        </LinkButton>
      </div>
    </Card>
  )
}

function Acts({ funnel }: { funnel: DiscoveredFunnel }) {
  const mayWrite = useMay('analytics:write')
  const changing = useWrite('updateFunnel', ['listFunnels'])
  if (!mayWrite) return null
  const set = (status: DiscoveredFunnel['status']) =>
    void changing.send({ params: { id: funnel.id }, body: { status } })
  const words = text.funnels
  const [isPinned, isMuted] = [funnel.status === 'pinned', funnel.status === 'muted']
  return (
    <span className="row">
      <Button
        isCompact
        aria-label={`${isPinned ? words.unpin : words.pin}: ${funnel.name}`}
        onClick={() => set(isPinned ? 'discovered' : 'pinned')}
      >
        {isPinned ? words.unpin : words.pin}
      </Button>
      <Button
        isCompact
        aria-label={`${isMuted ? words.unmute : words.mute}: ${funnel.name}`}
        onClick={() => set(isMuted ? 'discovered' : 'muted')}
      >
        {isMuted ? words.unmute : words.mute}
      </Button>
      <Rename funnel={funnel} />
      <ProblemNote error={changing.error} />
    </span>
  )
}

/** An empty name gives the found one back. */
function Rename({ funnel }: { funnel: DiscoveredFunnel }) {
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState(funnel.name)
  const renaming = useWrite('updateFunnel', ['listFunnels'])
  const words = text.funnels
  const submit = async () => {
    const answer = await renaming.send({ params: { id: funnel.id }, body: { name: name.trim() } })
    if (answer !== null) setOpen(false)
  }
  return (
    <>
      <Button
        isCompact
        aria-label={`${words.rename}: ${funnel.name}`}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {words.rename}
      </Button>
      <Dialog title={words.renameTitle} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Form onSubmit={submit}>
          <TextField label={words.name} hint={words.nameHint} name="name" value={name} onChange={setName} />
          <ProblemNote error={renaming.error} />
          <div className="row end">
            <Button onClick={() => setOpen(false)}>{text.acts.cancel}</Button>
            <Button type="submit" look="primary" disabled={renaming.isSending}>
              {text.acts.save}
            </Button>
          </div>
        </Form>
      </Dialog>
    </>
  )
}
