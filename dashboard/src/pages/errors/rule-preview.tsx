import type { ErrorRule, ErrorRulePreview } from '@assay/contract'
import { useRead } from '../../api/reads.ts'
import { formatCount } from '../../format.ts'
import { Shown } from '../../kit/states.tsx'
import { usePlace } from '../../shell/place.ts'
import { text } from '../../text.ts'

export type TriedRule = Pick<ErrorRule, 'match' | 'errorGroup'> & { position?: number }

type PreviewProps = { ruleId?: string | undefined; rule: TriedRule | null }

/** What a rule would make of the groups there are, before it is saved or taken away. */
export function RulePreview({ ruleId, rule }: PreviewProps) {
  const { siteId } = usePlace()
  const body = { siteId, rule, ...(ruleId !== undefined && { ruleId }) }
  const preview = useRead('previewErrorRule', { body })
  return (
    <Shown of={preview} lines={3}>
      {(data) => <Outcome of={data} isRemoval={rule === null} />}
    </Shown>
  )
}

function Outcome({ of: { matched, groups, gone }, isRemoval }: { of: ErrorRulePreview; isRemoval: boolean }) {
  const words = text.errorRules
  return (
    <div className="note stack tight" role="status">
      {!isRemoval && <strong>{words.matched(formatCount(matched))}</strong>}
      {groups.length + gone.length === 0 && <p>{words.noChange}</p>}
      {groups.map(({ id, errorGroup, isNew, from }) => (
        <div key={id}>
          <span className="break">
            <strong>{errorGroup}</strong> {isNew ? words.isNew : words.isChanged}
          </span>
          {from.length > 0 && (
            <ul className="list small">
              {from.map((group) => (
                <li key={group.id} className="break">
                  {words.from(group.errorGroup)}
                </li>
              ))}
            </ul>
          )}
        </div>
      ))}
      {gone.length > 0 && (
        <p className="break">{words.gone(gone.map(({ errorGroup }) => errorGroup).join(' · '))}</p>
      )}
    </div>
  )
}
