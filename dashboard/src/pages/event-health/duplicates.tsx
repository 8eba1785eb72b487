import { type CallInput, isRecord, type Output } from '@assay/contract'
import { useState } from 'react'
import { useWrite } from '../../api/reads.ts'
import type { RouteOf } from '../../api/routes.ts'
import { formatShare } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Badge, Card, Facts, Page } from '../../kit/card.tsx'
import { AreaField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { useWay } from '../../shell/place.ts'
import { watchText } from '../../text/watch.ts'
import { text } from '../../text.ts'

type Given = CallInput<RouteOf<'checkDuplicate'>>['body']['a']
type Answer = Output<RouteOf<'checkDuplicate'>>

/** An id, or an event as JSON; null where it is neither yet. */
function readGiven(typed: string): Given | null {
  const trimmed = typed.trim()
  if (!trimmed.startsWith('{')) return trimmed === '' ? null : trimmed
  try {
    const parsed: unknown = JSON.parse(trimmed)
    // boundary: what else it must hold, the server says with the field that is wrong.
    return isRecord(parsed) ? (parsed as Given) : null
  } catch {
    return null
  }
}

/** Whether two events are one thing that was sent twice, and why. */
export function DuplicateCheck() {
  const way = useWay()
  const [typed, setTyped] = useState({ a: '', b: '' })
  const checking = useWrite('checkDuplicate')
  const words = watchText.duplicates
  const [a, b] = [readGiven(typed.a), readGiven(typed.b)]
  const submit = async () => {
    if (a !== null && b !== null) await checking.send({ body: { a, b } })
  }
  return (
    <Page
      title={words.title}
      lead={words.lead}
      back={{ href: way.to('event-health'), title: text.pages.eventHealth }}
    >
      <Card>
        <Form onSubmit={submit}>
          <div className="form-row">
            {(['a', 'b'] as const).map((name) => (
              <AreaField
                key={name}
                label={words[name]}
                hint={words.hint}
                rows={5}
                name={name}
                value={typed[name]}
                fault={typed[name].trim() !== '' && readGiven(typed[name]) === null ? words.unreadable : null}
                isRequired
                onChange={(value) => setTyped({ ...typed, [name]: value })}
              />
            ))}
          </div>
          <ProblemNote error={checking.error} />
          <div>
            <Button type="submit" look="primary" disabled={checking.isSending}>
              {words.compare}
            </Button>
          </div>
        </Form>
      </Card>
      {checking.result !== null && <Verdict answer={checking.result} />}
    </Page>
  )
}

function Verdict({ answer }: { answer: Answer }) {
  const words = watchText.duplicates
  const kinds = { duplicate: 'reject', likely: 'warn', distinct: 'accept' }
  const parts = (['properties', 'identity', 'time', 'source'] as const).map(
    (name) => [words.partNames[name], formatShare(answer.parts[name])] as const,
  )
  return (
    <Card title={words.verdicts[answer.verdict]}>
      <div className="row" role="status">
        <Badge kind={kinds[answer.verdict]}>{words.verdicts[answer.verdict]}</Badge>
        <span>
          {words.score}: <strong>{formatShare(answer.score)}</strong>
        </span>
      </div>
      <Facts of={[...parts, [words.reasons, answer.reasons.join('; ')]]} />
    </Card>
  )
}
