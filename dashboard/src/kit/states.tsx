import { type ReactNode, useEffect } from 'react'
import { describeProblem, isMissing, isRefused } from '../api/problem.ts'
import type { Reading } from '../api/reads.ts'
import { text } from '../text.ts'
import { Button } from './button.tsx'
import { useForm } from './form-state.ts'

export function Loading({ lines = 4 }: { lines?: number }) {
  return (
    <div className="stack tight" role="status">
      <span className="hidden">{text.states.loading}</span>
      {Array.from({ length: lines }, (_, line) => `${88 - ((line * 23) % 50)}%`).map((width, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike and never move
        <div key={line} className="bone" style={{ width }} />
      ))}
    </div>
  )
}

type EmptyProps = { title: string; children?: ReactNode }

export function Empty({ title, children }: EmptyProps) {
  return (
    <div className="state">
      <strong>{title}</strong>
      {children !== undefined && <div className="soft stack tight starts">{children}</div>}
    </div>
  )
}

export function NoPermission() {
  return (
    <div className="state refused">
      <strong>{text.states.refused.title}</strong>
      <p>{text.states.refused.detail}</p>
    </div>
  )
}

export function Failure({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  if (isRefused(error)) return <NoPermission />
  if (isMissing(error)) return <Empty title={text.states.missing.title}>{text.states.missing.detail}</Empty>
  return (
    <div className="stack tight">
      <ProblemNote error={error} />
      {onRetry !== undefined && (
        <div>
          <Button onClick={onRetry}>{text.states.retry}</Button>
        </div>
      )}
    </div>
  )
}

/** A refusal next to its form: the input stays. */
export function ProblemNote({ error }: { error: Error | null }) {
  const form = useForm()
  const refuse = form?.refuse
  useEffect(() => {
    if (error !== null) refuse?.(error)
  }, [error, refuse])
  if (error === null) return null
  if (form?.marked === error) {
    return (
      <div className="note reject stack tight" role="alert">
        <strong>{text.form.refused}</strong>
        <p>{text.form.marked}</p>
      </div>
    )
  }
  const { title, detail, fields, reference } = describeProblem(error)
  return (
    <div className="note reject stack tight" role="alert">
      <strong>{title}</strong>
      <p className="break">{detail}</p>
      {fields.map((field) => (
        <p key={field} className="small break">
          {field}
        </p>
      ))}
      {reference !== '' && <p className="small soft mono">{reference}</p>}
    </div>
  )
}

type ShownProps<Data> = {
  of: Reading<Data>
  children: (data: Data) => ReactNode
  /** Instead of the content where there is nothing to show. */
  empty?: (data: Data) => ReactNode
  lines?: number
}

/** The four states of everything that is read: on its way, failed, empty, there. */
export function Shown<Data>({ of, children, empty, lines }: ShownProps<Data>) {
  if (of.data === undefined) {
    if (of.error !== null) return <Failure error={of.error} onRetry={() => void of.refetch()} />
    return <Loading {...(lines !== undefined && { lines })} />
  }
  return <>{empty?.(of.data) ?? children(of.data)}</>
}
