import type { EventMapping } from '@assay/contract'
import { useState } from 'react'
import { useList, useWrite } from '../../api/reads.ts'
import { codeWords } from '../../code-words.ts'
import { Button } from '../../kit/button.tsx'
import { Badge, Card, Page } from '../../kit/card.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { Select } from '../../kit/select.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { ListTable } from '../../kit/table.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay } from '../../shell/session.ts'
import { eventText } from '../../text/events.ts'
import { text } from '../../text.ts'
import { BackfillDialog } from './backfill-dialog.tsx'
import { Backfills } from './backfills.tsx'
import { MappingForm } from './mapping-form.tsx'

/** What a name that arrives is taken for, from now on and, by a back-fill, in the past. */
export default function MappingsPage() {
  const mayWrite = useMay('registry:write')
  const [isAdding, setAdding] = useState(false)
  return (
    <Page
      title={text.pages.mappings}
      lead={eventText.mappings.lead}
      acts={
        mayWrite && (
          <Button look="primary" onClick={() => setAdding(!isAdding)} aria-expanded={isAdding}>
            {eventText.mappings.add}
          </Button>
        )
      }
    >
      {isAdding && (
        <Card title={eventText.mappings.add}>
          <MappingForm onDone={() => setAdding(false)} />
        </Card>
      )}
      <Backfills />
      <Rules mayWrite={mayWrite} />
    </Page>
  )
}

function Rules({ mayWrite }: { mayWrite: boolean }) {
  const { siteId, parameters } = usePlace()
  const way = useWay()
  const isAll = parameters.get('rules') === 'all'
  const [filling, setFilling] = useState<EventMapping | null>(null)
  const [editing, setEditing] = useState<EventMapping | null>(null)
  const rules = useList('listMappings', (cursor) => ({
    query: {
      siteId,
      limit: 50,
      ...(!isAll && { origin: 'custom' as const }),
      ...(cursor !== undefined && { cursor }),
    },
  }))
  const acts = {
    title: text.acts.act,
    kind: 'act' as const,
    cell: (rule: EventMapping) => <RuleActs rule={rule} onFill={setFilling} onEdit={setEditing} />,
  }
  return (
    <Card
      title={eventText.mappings.rules}
      act={
        <Select
          name={eventText.mappings.which}
          value={isAll ? 'all' : 'own'}
          choices={[
            { value: 'own', label: eventText.mappings.own },
            { value: 'all', label: eventText.mappings.all },
          ]}
          onChange={(value) => way.go(way.here({ rules: value === 'all' ? 'all' : null }))}
        />
      }
    >
      {editing !== null && (
        <div className="note">
          <MappingForm key={editing.id} rule={editing} onDone={() => setEditing(null)} />
        </div>
      )}
      <ListTable
        of={rules}
        caption={eventText.mappings.rules}
        keyOf={({ id }) => id}
        empty={{ title: eventText.mappings.empty, detail: eventText.mappings.emptyDetail }}
        columns={mayWrite ? [...columns, acts] : columns}
      />
      {filling !== null && <BackfillDialog rule={filling} onClose={() => setFilling(null)} />}
    </Card>
  )
}

const columns = [
  {
    title: eventText.mappings.source,
    cell: ({ source }: EventMapping) => <strong className="break">{source}</strong>,
  },
  {
    title: eventText.mappings.target,
    cell: ({ target }: EventMapping) => <code className="break">{target}</code>,
  },
  {
    title: eventText.mappings.properties,
    cell: ({ propertyMap }: EventMapping) => <PropertyMap of={propertyMap} />,
  },
  {
    title: eventText.mappings.origin,
    cell: ({ origin, edited, enabled }: EventMapping) => (
      <span className="row">
        <Badge>{edited ? eventText.mappings.edited : codeWords('origins', origin)}</Badge>
        {!enabled && <Badge kind="warn">{eventText.mappings.off}</Badge>}
      </span>
    ),
  },
]

function PropertyMap({ of }: { of: Readonly<Record<string, string>> }) {
  const pairs = Object.entries(of)
  if (pairs.length === 0) return text.nothing
  return (
    <details>
      <summary>{eventText.mappings.pairs(pairs.length)}</summary>
      <ul className="list small">
        {pairs.map(([from, to]) => (
          <li key={from}>
            <code>{from}</code> → <code>{to}</code>
          </li>
        ))}
      </ul>
    </details>
  )
}

type ActsProps = {
  rule: EventMapping
  onFill: (rule: EventMapping) => void
  onEdit: (rule: EventMapping) => void
}

function RuleActs({ rule, onFill, onEdit }: ActsProps) {
  const { siteId } = usePlace()
  const changing = useWrite('updateMapping', ['listMappings'])
  const removing = useWrite('deleteMapping', ['listMappings'])
  const say = useNotice()
  const { id, source, enabled, origin, edited } = rule
  const isOwn = origin === 'custom'
  const words = eventText.mappings
  const label = (act: string) => `${act}: ${source}`
  const toggle = () => changing.send({ params: { id }, body: { siteId, enabled: !enabled } })
  const remove = async () => {
    const isGone = (await removing.send({ params: { id }, query: { siteId } })) !== null
    if (isGone) say(isOwn ? words.removed(source) : words.restored(source))
    return isGone
  }
  return (
    <span className="row end">
      <Button isCompact aria-label={label(words.edit)} onClick={() => onEdit(rule)}>
        {words.edit}
      </Button>
      <Button
        isCompact
        aria-label={label(words.backfill)}
        aria-haspopup="dialog"
        onClick={() => onFill(rule)}
      >
        {words.backfill}
      </Button>
      <Button
        isCompact
        aria-label={label(enabled ? words.disable : words.enable)}
        onClick={() => void toggle()}
      >
        {enabled ? words.disable : words.enable}
      </Button>
      {(isOwn || edited) && (
        <Confirm
          act={isOwn ? text.acts.remove : words.restore}
          label={label(isOwn ? text.acts.remove : words.restore)}
          title={isOwn ? words.removeTitle(source) : words.restoreTitle(source)}
          error={removing.error}
          isSending={removing.isSending}
          onConfirm={remove}
        >
          <p>{isOwn ? words.removeMeans : words.restoreMeans}</p>
        </Confirm>
      )}
      <ProblemNote error={changing.error} />
    </span>
  )
}
