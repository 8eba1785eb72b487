import type { ErrorRule } from '@assay/contract'
import { useState } from 'react'
import { useRead, useWrite } from '../../api/reads.ts'
import { Button } from '../../kit/button.tsx'
import { Card, Page } from '../../kit/card.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { matchParts, patternsOf, RuleForm, shownPosition } from './rule-form.tsx'
import { RulePreview } from './rule-preview.tsx'

/** Which errors are one: by rules of the site's own, the first that matches. */
export default function ErrorRulesPage() {
  const { siteId, parameters } = usePlace()
  const way = useWay()
  const mayWrite = useMay('analytics:write')
  const isGiven = matchParts.some((part) => parameters.has(part))
  const [isAdding, setAdding] = useState(isGiven)
  const [editing, setEditing] = useState<ErrorRule | null>(null)
  const rules = useRead('listErrorRules', { query: { siteId } })
  const words = text.errorRules
  return (
    <Page
      title={text.pages.errorRules}
      lead={words.lead}
      back={{ href: way.to('errors'), title: text.errors.back }}
      acts={
        mayWrite && (
          <Button look="primary" onClick={() => setAdding(!isAdding)} aria-expanded={isAdding}>
            {words.add}
          </Button>
        )
      }
    >
      {mayWrite && isAdding && (
        <Card title={words.add}>
          <RuleForm given={patternsOf(parameters)} onDone={() => setAdding(false)} />
        </Card>
      )}
      {mayWrite && editing !== null && (
        <Card title={words.change(editing.errorGroup)}>
          <RuleForm key={editing.id} rule={editing} onDone={() => setEditing(null)} />
        </Card>
      )}
      <Card title={words.list}>
        <Shown
          of={rules}
          empty={({ data }) =>
            data.length === 0 ? <Empty title={words.empty}>{words.emptyDetail}</Empty> : null
          }
        >
          {({ data }) => <Rules rules={data} onEdit={mayWrite ? setEditing : null} />}
        </Shown>
      </Card>
    </Page>
  )
}

type RulesProps = { rules: readonly ErrorRule[]; onEdit: ((rule: ErrorRule) => void) | null }

function Rules({ rules, onEdit }: RulesProps) {
  const words = text.errorRules
  const columns: readonly Column<ErrorRule>[] = [
    { title: words.matches, cell: (rule) => <Patterns match={rule.match} /> },
    {
      title: words.group,
      cell: ({ errorGroup, position }) => (
        <div className="stack tight">
          <strong className="break">{errorGroup}</strong>
          <span className="soft small">{words.placed(shownPosition(position))}</span>
        </div>
      ),
    },
  ]
  const acts: Column<ErrorRule> = {
    title: text.acts.act,
    kind: 'act',
    cell: (rule) => <Acts rule={rule} onEdit={() => onEdit?.(rule)} />,
  }
  return (
    <Table
      caption={words.list}
      rows={rules}
      keyOf={({ id }) => id}
      columns={onEdit === null ? columns : [...columns, acts]}
    />
  )
}

function Patterns({ match }: { match: ErrorRule['match'] }) {
  return (
    <div className="stack tight">
      {matchParts.map((part) =>
        match[part] === undefined ? null : (
          <span key={part}>
            <span className="soft small">{text.errorRules.parts[part]}</span>{' '}
            <code className="break">{match[part]}</code>
          </span>
        ),
      )}
    </div>
  )
}

function Acts({ rule, onEdit }: { rule: ErrorRule; onEdit: () => void }) {
  const removing = useWrite('deleteErrorRule', ['listErrorRules', 'getRevenueImpact', 'listErrors'])
  const say = useNotice()
  const words = text.errorRules
  const remove = async () => {
    if ((await removing.send({ params: { id: rule.id } })) === null) return false
    say(words.removed(rule.errorGroup))
    return true
  }
  return (
    <div className="row end">
      <Button isCompact onClick={onEdit} aria-label={words.change(rule.errorGroup)}>
        {words.edit}
      </Button>
      <Confirm
        act={text.acts.remove}
        label={words.remove(rule.errorGroup)}
        title={words.removeTitle(rule.errorGroup)}
        error={removing.error}
        isSending={removing.isSending}
        onConfirm={remove}
      >
        <p>{words.removeMeans}</p>
        <RulePreview ruleId={rule.id} rule={null} />
      </Confirm>
    </div>
  )
}
