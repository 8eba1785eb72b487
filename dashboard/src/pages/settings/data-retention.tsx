import { type EventRetention, eventRetentionDaysMax, eventRetentionDaysMin } from '@assay/contract'
import { useState } from 'react'
import { useRead, useWrite } from '../../api/reads.ts'
import { formatCount, formatDay } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Card, Facts, Page } from '../../kit/card.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Check, SelectField, TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote, Shown } from '../../kit/states.tsx'
import { useMay, useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'

/** How long the events of the site are kept, and everything else. */
export default function DataRetentionPage() {
  const { site } = useSession()
  const mayWrite = useMay('sites:write')
  const retention = useRead('getEventRetention', { params: { id: site.id }, query: {} })
  const words = text.dataRetention
  return (
    <Page title={text.pages.dataRetention} lead={words.lead}>
      <Card title={words.events(site.name)}>
        <Shown of={retention}>
          {(data) => (
            <>
              <Standing of={data} />
              {mayWrite && <RetentionForm key={`${site.id} ${data.eventRetentionDays}`} of={data} />}
            </>
          )}
        </Shown>
      </Card>
      <Card title={words.everything}>
        <Shown of={retention}>{(data) => <Everything of={data} />}</Shown>
      </Card>
    </Page>
  )
}

const daysText = (days: number | null) =>
  days === null ? text.dataRetention.forever : text.dataRetention.days(formatCount(days))

function Standing({ of: { eventRetentionDays, retainedSince, stored } }: { of: EventRetention }) {
  const { site } = useSession()
  const words = text.dataRetention
  const day = (time: string) => formatDay(time, site.timezone)
  return (
    <Facts
      of={[
        [words.keptFor, daysText(eventRetentionDays)],
        [words.stored, formatCount(stored.events)],
        [words.oldest, stored.oldestEventAt === null ? null : day(stored.oldestEventAt)],
        [
          words.removedBefore,
          retainedSince === null ? words.nothingRemoved : words.allBefore(day(retainedSince)),
        ],
      ]}
    />
  )
}

const forever = 'forever'
const another = 'another'
/** What most policies say. */
const usual = ['30', '90', '180', '365', '730']

const choices = [
  { value: forever, label: text.dataRetention.forever },
  ...usual.map((value) => ({ value, label: text.dataRetention.days(value) })),
  { value: another, label: text.dataRetention.another },
]

/** Null means forever; undefined while the input is not a number of days. */
function daysOf(choice: string, typed: string): number | null | undefined {
  if (choice === forever) return null
  const days = Number(choice === another ? typed.trim() : choice)
  const isDays = Number.isInteger(days) && days >= eventRetentionDaysMin && days <= eventRetentionDaysMax
  return isDays ? days : undefined
}

function RetentionForm({ of: { eventRetentionDays: current } }: { of: EventRetention }) {
  const { site } = useSession()
  const words = text.dataRetention
  const said = current === null ? forever : String(current)
  const isUsual = said === forever || usual.includes(said)
  const [choice, setChoice] = useState(isUsual ? said : another)
  const [typed, setTyped] = useState(isUsual ? '' : said)
  const [isAsking, setAsking] = useState(false)
  const saving = useWrite('updateSite', ['listSites', 'getEventRetention', 'getOverview'])
  const say = useNotice()
  const days = daysOf(choice, typed)
  const outside = words.notDays(eventRetentionDaysMin, formatCount(eventRetentionDaysMax))
  const isShorter = typeof days === 'number' && (current === null || days < current)
  const save = async () => {
    const body = { eventRetentionDays: days ?? null }
    if ((await saving.send({ params: { id: site.id }, body })) === null) return
    setAsking(false)
    say(isShorter ? words.savedShorter : words.saved)
  }
  const submit = async () => {
    if (days === undefined || days === current) return
    if (isShorter) setAsking(true)
    else await save()
  }
  return (
    <Form onSubmit={submit}>
      <div className="form-row">
        <SelectField label={words.keep} value={choice} choices={choices} onChange={setChoice} />
        {choice === another && (
          <TextField
            label={words.number}
            hint={words.numberHint(eventRetentionDaysMin, formatCount(eventRetentionDaysMax))}
            name="eventRetentionDays"
            value={typed}
            fault={days === undefined ? outside : null}
            onChange={setTyped}
            isRequired
          />
        )}
      </div>
      {isShorter && <Preview days={days} />}
      {days !== undefined && days !== current && !isShorter && <p className="soft">{words.longerMeans}</p>}
      {!isAsking && <ProblemNote error={saving.error} />}
      <div>
        <Button type="submit" look="primary" disabled={saving.isSending || days === current}>
          {isShorter ? words.saveShorter : text.acts.save}
        </Button>
      </div>
      {isShorter && (
        <Ask
          days={days}
          isOpen={isAsking}
          isSending={saving.isSending}
          error={saving.error}
          onClose={() => setAsking(false)}
          onConfirm={() => void save()}
        />
      )}
    </Form>
  )
}

/** What would go today, before anything does. */
function Preview({ days }: { days: number }) {
  const { site } = useSession()
  const read = useRead('getEventRetention', { params: { id: site.id }, query: { days } })
  const words = text.dataRetention
  return (
    <Shown of={read} lines={2}>
      {({ preview }) => {
        if (preview === null) return null
        const before = formatDay(preview.before, site.timezone)
        if (preview.events + preview.held === 0) return <p className="note">{words.nothingGoes(before)}</p>
        return (
          <div className="note warn stack tight" role="status">
            <strong>{words.goes(formatCount(preview.events), before)}</strong>
            {preview.oldestEventAt !== null && (
              <p>{words.goesSince(formatDay(preview.oldestEventAt, site.timezone))}</p>
            )}
            {preview.held > 0 && <p>{words.goesHeld(formatCount(preview.held))}</p>}
          </div>
        )
      }}
    </Shown>
  )
}

type AskProps = {
  days: number
  isOpen: boolean
  isSending: boolean
  error: Error | null
  onClose: () => void
  onConfirm: () => void
}

function Ask({ days, isOpen, isSending, error, onClose, onConfirm }: AskProps) {
  const [isSure, setSure] = useState(false)
  const words = text.dataRetention
  return (
    <Dialog title={words.ask(formatCount(days))} isOpen={isOpen} onClose={onClose}>
      <div className="stack">
        <Preview days={days} />
        <p>{words.askMeans}</p>
        <Check label={words.sure} isOn={isSure} onChange={setSure} />
      </div>
      <ProblemNote error={error} />
      <div className="row end">
        <Button onClick={onClose}>{text.acts.cancel}</Button>
        <Button look="danger" disabled={!isSure || isSending} onClick={onConfirm}>
          {words.confirm}
        </Button>
      </div>
    </Dialog>
  )
}

function Everything({ of: { eventRetentionDays, kept } }: { of: EventRetention }) {
  const words = text.dataRetention
  const days = (count: number) => words.days(formatCount(count))
  // After the days to decide, quarantined events are shown for as long again, and are then deleted by whole
  // months.
  const isSooner = eventRetentionDays !== null && eventRetentionDays <= 2 * kept.heldDays
  const heldGone = isSooner ? days(eventRetentionDays) : words.someMonths
  return (
    <Facts
      isLong
      of={[
        [words.kinds.events, words.means.events(daysText(eventRetentionDays))],
        [words.kinds.held, words.means.held(days(kept.heldDays), heldGone)],
        [words.kinds.replays, words.means.replays(days(kept.replayDays))],
        [words.kinds.deliveries, days(kept.deliveryDays)],
        [words.kinds.outgoing, words.means.outgoing(days(kept.outgoingDays))],
        [words.kinds.exports, days(kept.exportDays)],
        [words.kinds.log, words.means.log],
        [words.kinds.people, words.means.people],
        [words.kinds.counts, words.means.counts],
        [words.kinds.credits, words.means.credits],
        [words.kinds.audit, words.means.audit],
      ]}
    />
  )
}
