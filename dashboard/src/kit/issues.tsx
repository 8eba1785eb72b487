import { type Issue, outcomes } from '@assay/contract'
import { codeWords } from '../code-words.ts'
import { text } from '../text.ts'
import { Badge } from './card.tsx'

export function Verdict({ outcome }: { outcome: string }) {
  const found = outcomes.find((name) => name === outcome)
  return <Badge kind={outcome}>{found === undefined ? outcome : text.outcomes[found]}</Badge>
}

/** The gate's issues, each with advice for the person who has to fix it. */
export function Issues({ of }: { of: readonly Issue[] }) {
  if (of.length === 0) return <span className="soft">{text.issues.none}</span>
  return (
    <ul className="list">
      {of.map((issue) => (
        <li key={`${issue.code} ${issue.field ?? ''}`}>
          <strong title={issue.code}>{codeWords('issues', issue.code)}</strong>
          {issue.field !== undefined && (
            <>
              {' '}
              <code>{issue.field}</code>
            </>
          )}
          : {issue.message}
        </li>
      ))}
    </ul>
  )
}
